"""The BYU agent of 2016 (Fulda, Ricks, Murdoch and Wingate, IJCAI 2017): verbs by the affordances of nouns.

A state is the text of `look` and of `inventory`. The agent looks after every other command, so that a
changed state shows; it types `get all` in each new place, and `inventory` after each `get`. Otherwise it
takes a noun by chance, and a verb that suits the noun and has not been tried with it in this state. Where
nothing is left, it repeats what has changed this state before, or walks away.

Unlike in the paper, a table says which verbs suit a noun, not word vectors; and nothing is learned over
episodes beside the commands that changed a state.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from zlib import crc32

from folds.playthrough import Playthrough
from folds.text.things.inventory_lists import listed_in
from folds.vocabulary.actions import DIRECTIONS
from folds.vocabulary.words import head_of
from services.actor.baselines.affordances import commands_for
from services.actor.baselines.reading import begins_episode, nouns_of, without_digits
from services.actor.policy import Choice

MATCHING = 12
"""How many of the verbs that suit a noun are tried."""
ALWAYS = ("open", "get", "put")
"""Verbs that are tried with every noun (the agent's published code)."""
PREPOSITIONS = ("with", "in", "at", "on", "under")
ONE_IN = 11
"""One command in so many has a preposition and a second noun."""
HOARDED = 5
"""`get all` this often, with nothing else in between, is given up: the text of the place varies."""
LOOK, INVENTORY, GET_ALL = "look", "inventory", "get all"


class Byu:
    """The agent's state."""

    def __init__(self) -> None:
        self._place = self._state = 0
        self._nouns: tuple[str, ...] = ()
        self._held: tuple[str, ...] = ()
        self._held_text = ""
        self._places: set[int] = set()
        self._tried: dict[int, set[str]] = defaultdict(set)
        self._worked: dict[int, dict[str, None]] = defaultdict(dict)
        self._last = self._command = ""
        self._asks_inventory = False
        self._hoarded = 0

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        step = played.last
        if step is None:
            return
        self._last = "" if begins_episode(step) else step.action or ""
        if begins_episode(step):
            self._held, self._held_text, self._command = (), "", ""
        elif self._last == INVENTORY:
            self._held_text, self._asks_inventory = without_digits(step.observation), False
            self._held = tuple(map(head_of, listed_in(step.observation)))
        elif self._last == LOOK:
            self._see(step.observation)
        else:
            self._note(self._last)

    def choose(self, random: Random) -> Choice:
        """`look` after every other command; else what the state wants."""
        if self._last != LOOK:
            return Choice(LOOK, "every other command")
        if self._asks_inventory:
            return Choice(INVENTORY, "something was taken, perhaps")
        if self._place not in self._places and self._hoarded < HOARDED:
            return Choice(GET_ALL, "a new place")
        return self._manipulation(random)

    def _see(self, text: str) -> None:
        before, seen = self._state, without_digits(text)
        self._place, self._nouns = crc32(seen.encode()), nouns_of(text)
        self._state = crc32(f"{seen}|{self._held_text}".encode())
        if self._command and before != self._state:
            self._worked[before][self._command] = None
        self._command = ""

    def _note(self, command: str) -> None:
        self._command = command
        self._tried[self._state].add(command)
        if command == GET_ALL:
            self._places.add(self._place)
        self._hoarded = self._hoarded + 1 if command == GET_ALL else 0
        self._asks_inventory = self._asks_inventory or command.startswith("get ")

    def _manipulation(self, random: Random) -> Choice:
        things = tuple(dict.fromkeys((*self._nouns, *self._held)))
        noun = random.choice((*things, ""))
        commands = self._untried(noun)
        if noun and commands and random.randrange(ONE_IN) == 0:
            second = f"{random.choice(PREPOSITIONS)} {random.choice(things)}"
            return Choice(f"{random.choice(commands)} {second}", f"{noun} and another thing")
        if commands:
            return Choice(random.choice(commands), f"a verb that suits {noun}")
        known = (*self._worked.get(self._state, ()), *DIRECTIONS)
        return Choice(random.choice(known), "what worked here, or a way out")

    def _untried(self, noun: str) -> tuple[str, ...]:
        if not noun:
            return ()
        suiting = (command for command, _ in commands_for(noun)[:MATCHING])
        commands = dict.fromkeys((*suiting, *(f"{verb} {noun}" for verb in ALWAYS)))
        tried = self._tried.get(self._state, ())
        return tuple(command for command in commands if command not in tried)
