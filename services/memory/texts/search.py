"""The passages that answer a question best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.memory.texts.meaning import Similarities, similarities
from services.memory.texts.passages import RememberedText, Texts, sentences_of
from services.memory.texts.word_index import stem, stems, stems_in

BY_WORDS = 12
"""The best passages by words, whose meaning is looked at too."""
BY_MEANING = 400
"""Sentences whose meaning is looked at, at most: the newest that were read, heard or examined."""
FITS = 0.75
"""From this score on, a passage is an answer: half of the words and some likeness, or much likeness."""
WHOLE = 600
"""A longer passage is shown by its best sentence and its neighbours."""
ALIKE = 0.3
"""A passage with a sentence as near as this in meaning is an answer too, whatever its words."""
_TOLD_BONUS = 0.1
_ASKING = frozenset(
    stems("say says said tell told read show mention mean happen find found get got make made go went")
)
"""Words of questions, which say nothing of what is sought where no text has them."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A passage, how well it fits (0 to 2), and its best sentence."""

    passage: RememberedText
    score: float
    sentence: int
    meaning: float = 0.0
    """How near its nearest sentence is in meaning, at most 1."""

    @property
    def fits(self) -> bool:
        """Whether it is an answer, or only the best that there is."""
        return self.score >= FITS or self.meaning >= ALIKE


def search(
    texts: Texts,
    question: str,
    at: int | None = None,
    *,
    also: Iterable[str] = (),
    only: Sequence[RememberedText] = (),
    alike: Similarities = similarities,
) -> list[TextMatch]:
    """The texts that fit a question, the best first.

    `also`: other words for what the question names; `only`: among these texts, whether they fit or not;
    `alike`: tells how near sentences are in meaning.
    """
    wanted, others = stems(question), tuple(map(stem, also))
    candidates = list(only) or _candidates(texts, (*wanted, *others), at)
    sentences = [sentence for candidate in candidates for sentence in sentences_of(candidate.text)]
    meaning = dict(zip(sentences, alike(question, sentences), strict=True))
    words = _QuestionWords(texts, wanted, others)
    found = (_ranked(words, candidate, meaning) for candidate in candidates)
    fitting = [each for each in found if only or each.fits]
    return sorted(fitting, key=lambda each: (-round(each.score, 6), -each.passage.step))


def excerpt(found: TextMatch) -> str:
    """A passage as it is shown: whole, or around its best sentence."""
    if len(found.passage.text) <= WHOLE:
        return found.passage.text
    parts = sentences_of(found.passage.text)
    first, last = max(0, found.sentence - 1), min(len(parts), found.sentence + 2)
    shown = " ".join(parts[first:last])
    return f"{'… ' if first else ''}{shown}{' …' if last < len(parts) else ''}"


def _candidates(texts: Texts, words: Sequence[str], at: int | None) -> list[RememberedText]:
    """The best by words, then the newest of those that were told."""
    by_words = [texts.passages[number] for number, _ in texts.words.search(words, 4 * BY_WORDS)]
    chosen = {p.step: p for p in by_words if at is None or p.step <= at}
    chosen = dict(list(chosen.items())[:BY_WORDS])
    sentences = 0
    for passage in reversed(texts.passages):
        if sentences >= BY_MEANING:
            break
        if passage.is_told and (at is None or passage.step <= at):
            chosen[passage.step] = passage
            sentences += len(sentences_of(passage.text))
    return list(chosen.values())


def _ranked(asked: _QuestionWords, passage: RememberedText, alike: Mapping[str, float]) -> TextMatch:
    """How well a text fits: its words, those of the action, those of its best sentence, and its meaning."""
    parts = sentences_of(passage.text)
    meaning = [max(0.0, alike[part]) for part in parts]
    words = [asked.share(stems_in(part)) for part in parts]
    best = max(range(len(parts)), key=lambda n: (words[n] + meaning[n], -n), default=0)
    whole = asked.share(stems_in(passage.action), stems_in(passage.room), *map(stems_in, parts))
    done = asked.share(stems_in(passage.action))
    near = max(meaning, default=0.0)
    score = whole + (done + (words[best] if words else 0.0)) / 2 + near + _TOLD_BONUS * passage.is_told
    return TextMatch(passage, score, best, near)


class _QuestionWords:
    """The words of a question with their weights."""

    def __init__(self, texts: Texts, wanted: Iterable[str], others: Iterable[str]) -> None:
        sought = [word for word in wanted if word not in _ASKING or texts.words.has(word)]
        self._weights = {word: texts.words.weight(word) for word in sought}
        self._total = sum(self._weights.values())
        self._others = frozenset(others)

    def share(self, *held: frozenset[str]) -> float:
        """The part of the words that these sets of stems hold. Another word for one counts too."""
        named = sum(weight for word, weight in self._weights.items() if any(word in each for each in held))
        if named < self._total and not all(map(self._others.isdisjoint, held)):
            named += (self._total - named) / 2
        return named / self._total if self._total else 0.0
