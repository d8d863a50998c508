"""Texts by their words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from math import log

from folds.vocabulary.words import content_words

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.5
"""The parameters k1 and b of BM25 (Robertson and Zaragoza, 2009); long texts are punished less than usual."""
_COMMON = 2_000
"""A word that stands in more texts says little, and costs most: it counts only if no other word is known."""
_ENDINGS = ("ing", "ed", "e", "y", "i")
_STEM = 3


class WordIndex:
    """An inverted index: by stem, the texts that have it, and how often."""

    def __init__(self) -> None:
        self._holders: dict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: dict[int, int] = {}
        self._total = 0

    def add(self, number: int, text: str) -> None:
        """Add a text by its number."""
        counts = Counter(map(stem, content_words_with_repeats(text)))
        for word, times in counts.items():
            self._holders[word][number] = times
        self._lengths[number] = sum(counts.values())
        self._total += self._lengths[number]

    def has(self, word: str) -> bool:
        """Whether any text has a stem."""
        return word in self._holders

    def weight(self, word: str) -> float:
        """How much a stem says: the fewer texts have it, the more."""
        count = len(self._holders.get(word, ()))
        return log(1 + (len(self._lengths) - count + 0.5) / (count + 0.5))

    def search(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """The numbers of the best texts with their scores, the best first; of equals, the newest first."""
        known = [(word, self._holders[word]) for word in dict.fromkeys(words) if word in self._holders]
        rare = [(word, holders) for word, holders in known if len(holders) <= _COMMON]
        average = self._total / max(1, len(self._lengths))
        scores: dict[int, float] = defaultdict(float)
        for word, holders in rare or known[:1]:
            weight = self.weight(word)
            for number, times in holders.items():
                length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * self._lengths[number] / average
                scores[number] += weight * times * (_SATURATION + 1) / (times + _SATURATION * length)
        return sorted(scores.items(), key=lambda found: (-found[1], -found[0]))[:most]


def content_words_with_repeats(text: str) -> Iterable[str]:
    """The words of a text that may name something, line by line, so that a repeat in another line counts."""
    return (word for line in text.splitlines() for word in content_words(line))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending: `murdered` and `murder`, `keys` and `key` are one."""
    word = word.removesuffix("'s")
    word = word.removesuffix("s") if not word.endswith("ss") and len(word) > _STEM else word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word


def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a text that may name something, each once."""
    return tuple(dict.fromkeys(map(stem, content_words(text))))


@lru_cache(maxsize=8192)
def stems_in(text: str) -> frozenset[str]:
    """The same as a set, for sentences, actions and names that are compared with many questions."""
    return frozenset(stems(text))
