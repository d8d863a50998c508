"""CARL (the BYU agent of 2017, as the competition's paper describes it): states made of sentences.

Each sentence of a text is information about the state, or not, as its nearest labelled example is. The
sentences about the state, put together, name it. The nouns of these sentences and their hypernyms suggest
commands, the best ones first, then broader ones, until the state changes. A command that changed the state
is remembered, and may be given again when the agent comes back to that state.

Unlike in the paper, a sentence is compared by its words, not as a skip-thought vector, and a table gives
verbs and hypernyms in place of word vectors.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import permutations
from math import sqrt
from random import Random
from zlib import crc32

from folds.attempts import names_of
from folds.playthrough import Playthrough
from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import DIRECTIONS, direction_of, directions_in
from folds.vocabulary.words import head_of, words_of
from services.actor.baselines.affordances import commands_for, commands_for_two
from services.actor.baselines.reading import begins_episode, nouns_of, without_digits
from services.actor.policy import Choice

ABOUT_THE_STATE = (
    "you are in a small room", "you are standing in front of a house", "there is a lamp here",
    "there is a door to the north", "a path leads east and west", "on the table is a knife",
    "you can see a box here", "exits are north and south", "to the south you see a river",
    "the walls are made of stone", "a narrow passage goes down", "the room is large and empty",
    "you are carrying a lamp and a key", "an old man is sitting here", "the door is closed",
    "it is dark in this place",
)  # fmt: skip
"""Our own examples of sentences that describe where the player is and what is there."""
ABOUT_AN_ACTION = (
    "you can't go that way", "taken", "dropped", "nothing happens", "you can't see any such thing",
    "i don't understand that", "you don't have that", "it is already open",
    "that is not something you can do", "your score has gone up by one point", "please answer yes or no",
    "what do you want to open", "you find nothing of interest", "you wait", "that would achieve nothing",
    "welcome to the game", "copyright", "you hear a noise in the distance", "violence is not the answer",
    "time passes",
)  # fmt: skip
"""Our own examples of sentences that answer an action, or are no part of the story."""

ON_THE_WAY, ANY_WAY = 0.7, 0.3
"""How well a way suits that the text mentions, and any other."""
REMEMBERED = 0.5
"""The chance that a known state gets what has changed it before, not something new."""
LOOK = "look"
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\n+")


def _profile(sentence: str) -> tuple[Counter[str], float]:
    words = Counter(words_of(sentence))
    return words, sqrt(sum(count * count for count in words.values()))


_EXAMPLES = tuple(
    (*_profile(sentence), about_state)
    for sentences, about_state in ((ABOUT_THE_STATE, True), (ABOUT_AN_ACTION, False))
    for sentence in sentences
)


class Carl:
    """The agent's state."""

    def __init__(self) -> None:
        self._state, self._text = 0, ""
        self._things: tuple[str, ...] = ()
        self._visits: Counter[int] = Counter()
        self._tried: dict[int, set[str]] = defaultdict(set)
        self._worked: dict[int, dict[str, None]] = defaultdict(dict)
        self._cause = ""
        self._looks = False

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        step = played.last
        if step is None:
            return
        command, opening = step.action or "", begins_episode(step)
        if opening:
            self._cause = ""
        elif command != LOOK:
            self._cause = command
            self._tried[self._state].add(command)
        about_state = state_information(step.observation)
        described = command == LOOK or (direction_of(command) is not None and bool(about_state))
        if described:
            self._enter(about_state)
        self._looks = not described and (opening or bool(about_state) or not is_fruitless(step.observation))
        held = map(head_of, sorted(names_of(step.inventory)))
        self._things = tuple(dict.fromkeys((*nouns_of(self._text), *held)))

    def choose(self, random: Random) -> Choice:
        """A look where something has changed; what is remembered; or else the best that is untried."""
        if self._looks:
            return Choice(LOOK, "the text tells something new")
        remembered = tuple(self._worked.get(self._state, ()))
        if remembered and self._visits[self._state] > 1 and random.random() < REMEMBERED:
            return Choice(random.choice(remembered), "it has changed this state before")
        untried = self._untried()
        if not untried:
            return Choice(random.choice((*remembered, *DIRECTIONS)), "all has been tried here")
        best = max(untried.values())
        chosen = random.choice([command for command, suits in untried.items() if suits == best])
        return Choice(chosen, f"suits by {best:.2f}")

    def _enter(self, sentences: tuple[str, ...]) -> None:
        self._text = " ".join(sentences)
        state = crc32("|".join(map(without_digits, sentences)).encode())
        if self._cause and state != self._state:
            self._worked[self._state][self._cause] = None
        if state != self._state:
            self._visits[state] += 1
        self._state, self._cause = state, ""

    def _untried(self) -> dict[str, float]:
        tried = self._tried.get(self._state, ())
        return {command: suits for command, suits in self._candidates() if command not in tried}

    def _candidates(self) -> Iterator[tuple[str, float]]:
        mentioned = directions_in(self._text)
        for way in DIRECTIONS:
            yield way, ON_THE_WAY if way in mentioned else ANY_WAY
        for thing in self._things:
            yield from commands_for(thing)
        for thing, other in permutations(self._things, 2):
            yield from commands_for_two(thing, other)


def state_information(text: str) -> tuple[str, ...]:
    """The sentences of a text that describe the state, in their order."""
    sentences: Iterable[str] = (sentence.strip() for sentence in _SENTENCE.split(text))
    return tuple(sentence for sentence in sentences if sentence and is_about_state(sentence))


@lru_cache(maxsize=4096)
def is_about_state(sentence: str) -> bool:
    """Whether the example that shares most words with a sentence describes a state; most sentences do."""
    words, length = _profile(sentence)
    if not length or is_fruitless(sentence):
        return False
    near = (
        (sum(count * example[word] for word, count in words.items()) / (length * norm), about_state)
        for example, norm, about_state in _EXAMPLES
    )
    return max(near)[1]
