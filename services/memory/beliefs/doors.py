"""Doors: which rooms they join, and which exits they shut."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from folds.text.phrases import is_fruitless
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import StepTaken, Thing
from services.memory.beliefs.facts import (
    DOOR_TO,
    LOCKED,
    FactLog,
    Triple,
    direction_entity,
    is_known_by_text,
    room_id,
)
from services.memory.beliefs.things import thing_id, things_seen
from services.memory.beliefs.transition import StepTransition

_DOOR_NOUNS = frozenset(
    "door doors doorway gate gates gateway grate grating hatch trapdoor portcullis drawbridge portal window "
    "curtain shutter shutters barrier".split()
)
_SHUT = re.compile(r"\b(locked|closed|shut|barred|bolted|sealed)\b", re.I)
_LOCKED = re.compile(r"\b(locked|barred|bolted)\b", re.I)
_CLOSING_VERBS = frozenset("close shut lock bar bolt seal".split())

ExitMap = Mapping[str, Mapping[str, str]]
"""By room and by direction (or action), the room that an exit leads to; all are ids of entities."""


def says_shut(text: str) -> bool:
    """Whether a text speaks of something shut."""
    return _SHUT.search(text) is not None


def is_door(name: str) -> bool:
    """Whether a thing's name is a word for what shuts an exit."""
    return head_of(name) in _DOOR_NOUNS


class Doors:
    """A fold that writes `door_to` and `locked_` facts.

    A locked exit is shut by a door; where the text names no door, the object of the fact is the direction.
    """

    def __init__(self, log: FactLog) -> None:
        self._log = log
        self._rooms: dict[str, dict[str, None]] = defaultdict(dict)
        self._locked: dict[str, dict[Triple, None]] = defaultdict(dict)

    def locked_in(self, room: str) -> dict[str, str]:
        """By way out of a room, the door (or the direction) that shuts it."""
        locked = (triple for triples in self._locked.values() for triple in triples if triple[0] == room)
        return {relation.removeprefix(LOCKED): door for _, relation, door in locked}

    def after(self, transition: StepTransition, room: str | None, exits: ExitMap) -> None:
        """Fold one step, after which the player is in `room` (None: unknown)."""
        if transition.acted_in is None:
            return
        start, step = room_id(transition.acted_in.id), transition.step
        if room is not None and room != start:
            self._join_doors_seen_twice(transition, start, room)
            self._unlock_exit(start, transition.direction or transition.action)
        elif transition.direction is not None and says_shut(step.observation):
            self._lock_exit_found_shut(step, start, transition.direction, exits)
        elif transition.direction is None:
            self._act_on_named_doors(transition, exits)
            self._open_unseen_door(transition, start)

    def end_episode(self) -> None:
        """Forget which doors are shut: the world is as it was at the opening."""
        self._locked.clear()

    def _join_doors_seen_twice(self, transition: StepTransition, start: str, end: str) -> None:
        """A door that shows before and after a walk joins the two rooms, and is open."""
        before = () if transition.origin is None else things_seen(transition.origin)
        both = {thing_id(t) for t in before} & {thing_id(t) for t in doors_of(transition.step)}
        for door in sorted(both):
            if not is_known_by_text(door):
                for room in (start, end):
                    self._rooms[door][room] = None
                    self._log.begin((door, DOOR_TO, room))
                self._unlock(self._locked.get(door, ()))

    def _unlock_exit(self, room: str, way: str) -> None:
        """An exit through which the player has walked is open."""
        exit_ = (room, LOCKED + way)
        self._unlock(t for locked in self._locked.values() for t in locked if t[:2] == exit_)

    def _lock_exit_found_shut(self, step: StepTaken, room: str, way: str, exits: ExitMap) -> None:
        words = words_of(step.observation)
        door = next((thing_id(d) for d in doors_of(step) if head_of(d.name) in words), None)
        self._lock(door or self._log.add(direction_entity(way)), room, way)
        if door is not None:
            self._lock_exits_of(door, exits)

    def _act_on_named_doors(self, transition: StepTransition, exits: ExitMap) -> None:
        """Open, close, lock or unlock the doors that the action names, if the reply says that it worked.

        A reply of `locked` to an attempt to open a door locks it.
        """
        action, reply = transition.action, transition.step.observation
        worked, words = not is_fruitless(reply), words_of(action)
        opens, closes = action_kind_of(action) is ActionKind.OPEN, action.partition(" ")[0] in _CLOSING_VERBS
        for door in [thing_id(d) for d in doors_of(transition.step) if head_of(d.name) in words]:
            if opens and worked:
                self._unlock(self._locked.get(door, ()))
            elif (closes and worked) or (opens and _LOCKED.search(reply)):
                self._lock_exits_of(door, exits)

    def _open_unseen_door(self, transition: StepTransition, room: str) -> None:
        """An opened door that does not show may be any of those that the player has found shut here."""
        action = transition.action
        opened = action_kind_of(action) is ActionKind.OPEN and not is_fruitless(transition.step.observation)
        if opened and any(word in _DOOR_NOUNS for word in words_of(action)):
            unseen = [locked for door, locked in self._locked.items() if door.startswith("direction:")]
            self._unlock(triple for locked in unseen for triple in locked if triple[0] == room)

    def _lock_exits_of(self, door: str, exits: ExitMap) -> None:
        """Lock every known exit between the rooms that a door joins."""
        rooms = self._rooms.get(door, {})
        for room in rooms:
            for way, end in exits.get(room, {}).items():
                if end in rooms:
                    self._lock(door, room, way)

    def _lock(self, door: str, room: str, way: str) -> None:
        triple = (room, LOCKED + way, door)
        self._locked[door][triple] = None
        self._log.begin(triple)

    def _unlock(self, locked: Iterable[Triple]) -> None:
        for triple in tuple(locked):
            self._log.end(triple)
            del self._locked[triple[2]][triple]


def doors_of(step: StepTaken) -> tuple[Thing, ...]:
    """The doors that a step shows."""
    return tuple(thing for thing in things_seen(step) if is_door(thing.name))
