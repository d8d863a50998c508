"""Words that a story takes for verbs though its grammar names none of them, such as spells once learned.

An Inform story gives them to a verb that nobody can type (Inform Designer's Manual, section 30,
`UnknownVerb`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from search.environment import Environment, SavedPosition
from search.frontier.calibration import plain_answer, usual_answers
from search.frontier.deeds import DeedResult
from search.frontier.scene import ReachableThing, SceneReader
from zmachine.dictionary import Dictionary
from zmachine.grammar.candidates import DIRECTIONS
from zmachine.grammar.inform import VERB, verbs_of
from zmachine.grammar.phrases import SPLIT, Phrase
from zmachine.grammar.sentence import Slot

SAMPLE = 12
"""Nouns that are typed as verbs, to learn the answer."""
SHORTEST = 3
"""Letters of a word that is tested."""
AT_ONCE = 5
"""Words of the texts that are tested at once."""
UNASKED = "look"
"""Done before a test: a word may answer a question that the story has asked."""


class SpokenVerbs:
    """The words that were found to be verbs, and what makes them verbs."""

    def __init__(self, environment: Environment, scenes: SceneReader) -> None:
        self.phrases: list[Phrase] = []
        """With each of these words alone, and with a thing."""
        self._environment, self._scenes = environment, scenes
        self._learned_by: dict[str, str] = {}
        """For each word the latest action that has changed how it is answered; empty: there was none."""
        self._unlearned: dict[str, str] = {}
        """For each of these words how it was answered before that action."""
        self._ready: dict[tuple[str, Hashable], bool] = {}
        """Whether each is a verb after that action, in each context."""
        self._tested = set[tuple[str, str]]()
        """Words, each with the action after which it was tested."""
        self._next = 0
        """The words of the texts that were tested so far, in turn."""
        self._directions = {way[: environment.tables.dictionary.length] for way in DIRECTIONS}
        self._unknown = frozenset[str]()
        dictionary = environment.tables.dictionary
        if has_verb_nobody_types(dictionary):
            words = (word for word in dictionary.data if dictionary.is_noun(word))
            nouns = [word for word in words if not self._is_usual(word)]
            sample = nouns[:: len(nouns) // SAMPLE + 1]
            self._unknown = usual_answers(environment, [(noun, noun) for noun in sample])

    def heard(self, position: SavedPosition, words: Sequence[str]) -> list[Phrase]:
        """Test some words of the texts, in turn; returns the phrases with those that are verbs now."""
        found: list[Phrase] = []
        others = [word for word in words if word not in self._learned_by and not self._is_usual(word)]
        if not self._unknown or not others:
            return found
        self._environment.restore(position)
        self._environment.step(UNASKED)
        position = self._environment.save()
        for _ in range(min(AT_ONCE, len(others))):
            self._next += 1
            word = others[self._next % len(others)]
            if self._answer(position, word) not in self._unknown:
                found += self._found(word, "")
        return found

    def done(self, deed: DeedResult, things: Iterable[ReachableThing]) -> list[Phrase]:
        """Test the words of a deed's things, before it and after it; returns the phrases with new verbs."""
        if not self._unknown:
            return []
        named = [form for thing in things for form in self._scenes.forms(thing.number) or (thing.noun,)]
        found: list[Phrase] = []
        for word in self._untested(named, deed.actions[-1]):
            after, before = self._answer(deed.position, word), self._answer(deed.stop.position, word)
            if after not in self._unknown and after != before:
                self._unlearned[word] = before
                found += self._found(word, deed.actions[-1])
        return found

    def unready(self, position: SavedPosition, context: Hashable) -> frozenset[str]:
        """The words that are no verbs now, even after what makes them verbs; `context`: of the position."""
        return frozenset(word for word in self._unlearned if not self._is_ready(word, position, context))

    def _is_ready(self, word: str, position: SavedPosition, context: Hashable) -> bool:
        key = word, context
        if key not in self._ready:
            self._environment.restore(position)
            self._environment.step(self._learned_by[word])
            answer = plain_answer(self._environment.step(word).observation, word)
            self._ready[key] = answer != self._unlearned[word] and answer not in self._unknown
        return self._ready[key]

    def line(self, action: str) -> tuple[str, ...]:
        """An action, after what makes its verb one, if anything does."""
        learned_by = self._learned_by.get(action.split()[0])
        return (learned_by, action) if learned_by else (action,)

    def _untested(self, words: Iterable[str], action: str) -> Iterator[str]:
        for word in words:
            if " " not in word and (word, action) not in self._tested and not self._is_usual(word):
                self._tested.add((word, action))
                yield word

    def _answer(self, position: SavedPosition, word: str) -> str:
        self._environment.restore(position)
        return plain_answer(self._environment.step(word).observation, word)

    def _found(self, word: str, learned_by: str) -> list[Phrase]:
        is_new = word not in self._learned_by
        self._learned_by[word] = learned_by
        phrases = [Phrase(word, ()), Phrase(f"{word} {{}}", (Slot.THING,))]
        if is_new:
            self.phrases += phrases
        return phrases

    def _is_usual(self, word: str) -> bool:
        """Whether a word is a verb of the grammar, or a direction; or so short that it abbreviates one."""
        dictionary = self._environment.tables.dictionary
        entry = dictionary.known(word)
        if entry is None or len(entry) < SHORTEST or entry in self._directions:
            return True
        return bool(dictionary.data[entry][0] & VERB)


def has_verb_nobody_types(dictionary: Dictionary) -> bool:
    """Whether the grammar has a verb of which every word is one that nobody can type."""
    return any(all(SPLIT in word for word in words) for words in verbs_of(dictionary).values())
