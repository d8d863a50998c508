"""Doors: which rooms they join, and which ways they are known to shut."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import StepTaken, Thing
from services.memory.beliefs.facts import DOOR_TO, LOCKED, FactLog, Triple, direction_entity, is_by_text
from services.memory.beliefs.places import thing_id, things_seen

_DOORS = frozenset(
    "door doors doorway gate gates gateway grate grating hatch trapdoor portcullis drawbridge portal window "
    "curtain shutter shutters barrier".split()
)
_SHUT = re.compile(r"\b(locked|closed|shut|barred|bolted|sealed)\b", re.I)
_LOCKED = re.compile(r"\b(locked|barred|bolted)\b", re.I)
_SHUTTING = frozenset("close shut lock bar bolt seal".split())

Ways = Mapping[str, Mapping[str, str]]
"""By room and by direction (or action), the room that a walked exit leads to; all are ids of entities."""


def says_shut(text: str) -> bool:
    """Whether a text speaks of something shut."""
    return _SHUT.search(text) is not None


def is_door(name: str) -> bool:
    """Whether a thing's name is a word for what shuts a way."""
    return head_of(name) in _DOORS


class Doors:
    """Writes `door_to` and `locked_DIRECTION` into a ledger. An action on a door is taken at its word."""

    def __init__(self, ledger: FactLog) -> None:
        self._facts = ledger
        self._rooms: dict[str, dict[str, None]] = defaultdict(dict)
        self._shut: dict[str, dict[Triple, None]] = defaultdict(dict)

    def after(self, before: StepTaken, step: StepTaken, start: str, end: str | None, ways: Ways) -> None:
        """Learn from an action taken in the room `start` that led to `end` (None: nowhere known)."""
        action = normal(step.action or "")
        way = direction_of(action)
        if end is not None and start != end:
            self._walked(before, step, start, end, way or action)
        elif way is not None and says_shut(step.observation):
            self._found_shut(step, start, way, ways)
        elif way is None:
            self._handled(action, step, ways)
            self._opened_something(action, step, start)

    def shut_in(self, room: str) -> dict[str, str]:
        """By way out of a room, the door (or the direction) that shuts it."""
        shut = (triple for triples in self._shut.values() for triple in triples if triple[0] == room)
        return {relation.removeprefix(LOCKED): door for _, relation, door in shut}

    def forget(self) -> None:
        """A new episode: every door is as it was at the opening, however that was."""
        self._shut.clear()

    def _walked(self, before: StepTaken, step: StepTaken, start: str, end: str, way: str) -> None:
        both = {thing_id(t) for t in things_seen(before)} & {thing_id(t) for t in doors_of(step)}
        for door in sorted(both):
            if not is_by_text(door):
                self._join(door, (start, end))
                self._open(door)
        self._end([t for shut in self._shut.values() for t in shut if t[:2] == (start, LOCKED + way)])

    def _join(self, door: str, rooms: Iterable[str]) -> None:
        for room in rooms:
            self._rooms[door][room] = None
            self._facts.begin((door, DOOR_TO, room))

    def _found_shut(self, step: StepTaken, room: str, way: str, ways: Ways) -> None:
        told = words_of(step.observation)
        door = next((thing_id(d) for d in doors_of(step) if head_of(d.name) in told), None)
        shutter = door or self._facts.meet(direction_entity(way))
        self._shut_way(shutter, room, way)
        if door is not None:
            self._shut_ways(door, ways)

    def _handled(self, action: str, step: StepTaken, ways: Ways) -> None:
        """Open, close, lock or unlock what is named; `locked` in the reply to opening says it is shut."""
        verb, words = action.partition(" ")[0], words_of(action)
        for door in [thing_id(d) for d in doors_of(step) if head_of(d.name) in words]:
            opening, in_vain = action_kind_of(action) is ActionKind.OPEN, is_fruitless(step.observation)
            found_locked = opening and in_vain and _LOCKED.search(step.observation)
            if opening and not in_vain:
                self._open(door)
            elif found_locked or (verb in _SHUTTING and not in_vain):
                self._shut_ways(door, ways)

    def _opened_something(self, action: str, step: StepTaken, room: str) -> None:
        """A door that was opened and does not show may be any that was found shut here."""
        opened = action_kind_of(action) is ActionKind.OPEN and not is_fruitless(step.observation)
        if opened and any(word in _DOORS for word in words_of(action)):
            for shutter, shut in self._shut.items():
                if shutter.startswith("direction:"):
                    self._end([triple for triple in shut if triple[0] == room])

    def _shut_ways(self, door: str, ways: Ways) -> None:
        """Every exit that was walked between the rooms of a door is shut by it."""
        rooms = self._rooms.get(door, {})
        for room in rooms:
            for way, end in ways.get(room, {}).items():
                if end in rooms:
                    self._shut_way(door, room, way)

    def _shut_way(self, door: str, room: str, way: str) -> None:
        triple = (room, LOCKED + way, door)
        self._shut[door][triple] = None
        self._facts.begin(triple)

    def _open(self, door: str) -> None:
        self._end([*self._shut.get(door, {})])

    def _end(self, shut: Iterable[Triple]) -> None:
        for triple in shut:
            self._facts.end(triple)
            del self._shut[triple[2]][triple]


def doors_of(step: StepTaken) -> tuple[Thing, ...]:
    """The doors that a step shows."""
    return tuple(thing for thing in things_seen(step) if is_door(thing.name))
