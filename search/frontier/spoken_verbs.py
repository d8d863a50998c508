"""Words that a story takes for verbs though its grammar names none of them, such as spells once learned.

An Inform story gives them to a verb that nobody can type (Inform Designer's Manual, section 30,
`UnknownVerb`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from search.environment import Environment, SavedPosition
from search.frontier.scene import ReachableThing, SceneReader
from search.frontier.usual_answers import plain_answer, usual_answers
from zmachine.dictionary import Dictionary
from zmachine.grammar.candidates import DIRECTIONS
from zmachine.grammar.inform import VERB, verbs_of
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot

SAMPLE = 12
"""Nouns that are typed as verbs, to learn the answer."""
SHORTEST = 3
"""Letters of a word that is tested."""


class SpokenVerbs:
    """The words that were found to be verbs, and what makes them verbs."""

    def __init__(self, environment: Environment, scenes: SceneReader) -> None:
        self.phrases: list[Phrase] = []
        """With each of these words alone, and with a thing."""
        self._environment, self._scenes = environment, scenes
        self._learned_by: dict[str, str] = {}
        """For each word the action after which it is a verb; empty: it always is one."""
        self._tested = set[tuple[str, str]]()
        """Words, each with the action after which it was tested."""
        self._directions = {way[: environment.tables.dictionary.length] for way in DIRECTIONS}
        self._unknown = frozenset[str]()
        dictionary = environment.tables.dictionary
        if has_verb_nobody_types(dictionary):
            words = (word for word in dictionary.data if dictionary.is_noun(word))
            nouns = [word for word in words if not self._is_usual(word)]
            sample = nouns[:: len(nouns) // SAMPLE + 1]
            self._unknown = usual_answers(environment, [(noun, noun) for noun in sample])

    def heard(self, position: SavedPosition, words: Sequence[str]) -> list[Phrase]:
        """Test words of the texts from a position; returns the phrases with those that are verbs."""
        return self._found(position, words, "") if self._unknown else []

    def done(self, position: SavedPosition, action: str, things: Iterable[ReachableThing]) -> list[Phrase]:
        """Test the words of an action's things after it was done; returns the phrases with new verbs."""
        if not self._unknown:
            return []
        named = [form for thing in things for form in self._scenes.forms(thing.number) or (thing.noun,)]
        return self._found(position, [word for word in named if " " not in word], action)

    def _found(self, position: SavedPosition, words: Iterable[str], action: str) -> list[Phrase]:
        found: list[Phrase] = []
        for word in words:
            if (word, action) in self._tested or word in self._learned_by or self._is_usual(word):
                continue
            self._tested.add((word, action))
            self._environment.restore(position)
            if not self.is_unknown(self._environment.step(word).observation, word):
                self._learned_by[word] = action
                found += (Phrase(word, ()), Phrase(f"{word} {{}}", (Slot.THING,)))
        self.phrases += found
        return found

    def _is_usual(self, word: str) -> bool:
        """Whether a word is a verb of the grammar, or a direction; or so short that it abbreviates one."""
        dictionary = self._environment.tables.dictionary
        entry = dictionary.known(word)
        if entry is None or len(entry) < SHORTEST or entry in self._directions:
            return True
        return bool(dictionary.data[entry][0] & VERB)

    def learning(self, action: str, answer: str) -> tuple[str, ...]:
        """What must be done before an action whose verb is not known; empty: it is, or nothing helps.

        `answer`: the story's text.
        """
        word = action.split()[0]
        learned_by = self._learned_by.get(word, "")
        return (learned_by,) if learned_by and self.is_unknown(answer, word) else ()

    def is_unknown(self, answer: str, word: str) -> bool:
        """Whether a text says that a word is no verb."""
        return plain_answer(answer, word) in self._unknown


def has_verb_nobody_types(dictionary: Dictionary) -> bool:
    """Whether the grammar has a verb of which every word holds a comma, at which the parser splits a line."""
    return any(all("," in word for word in words) for words in verbs_of(dictionary).values())
