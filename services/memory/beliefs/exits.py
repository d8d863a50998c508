"""Exits: where the ways out of each room lead, and which are blocked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from sys import intern

from folds.map import Map
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.memory.beliefs.doors import says_shut
from services.memory.beliefs.facts import (
    BLOCKED,
    EXIT,
    LED,
    TOLD,
    TRIED,
    FactLog,
    Triple,
    direction_entity,
    room_id,
)
from services.memory.beliefs.rooms import RoomNames
from services.memory.beliefs.transition import StepTransition

NO_EXITS: Mapping[str, str] = {}


class KnownExits:
    """A fold that writes `exit_`, `led_`, `blocked_` and `tried_` facts, from what the `Map` knows.

    The map forgets an exit that led on once and then did not. Where the text says that the exit is shut, this
    fold keeps it: it leads where it led, behind a closed door.
    """

    def __init__(self, log: FactLog, known: Map, rooms: RoomNames) -> None:
        self._log, self._map, self._rooms = log, known, rooms
        self._by_room: dict[str, dict[str, str]] = {}
        self._shut: dict[str, dict[str, str]] = defaultdict(dict)
        self._facts: dict[str, tuple[Triple, ...]] = {}
        self._told: dict[str, dict[str, str]] = {}
        self._likely: dict[str, tuple[str, ...]] = {}

    @property
    def by_room(self) -> Mapping[str, Mapping[str, str]]:
        """By room and action, the room to which the action leads; both rooms are ids of entities."""
        return self._by_room

    def of(self, room: str) -> Mapping[str, str]:
        """By action, the entity of the room to which it leads; `room` is the room's id in the messages."""
        return self._by_room.get(room_id(room), NO_EXITS)

    def told(self, room: str) -> Mapping[str, str]:
        """By direction, the room to which an untried way leads back, as the game says; ids as in messages."""
        return self._told.get(room, NO_EXITS)

    def likely(self, room: str) -> tuple[str, ...]:
        """The untried directions that the game offers or mentions; `room` is its id in the messages."""
        return self._likely.get(room, ())

    def after(self, transition: StepTransition) -> None:
        """Fold one step, which can change the exits of two rooms: the one left and the one reached."""
        self._update_shut_exits(transition)
        left, reached = transition.before or transition.step, transition.step
        for room in dict.fromkeys((room_of(left), room_of(reached))):
            self._update(room)
        if transition.acted_in is not None and transition.direction is not None:
            direction = self._log.add(direction_entity(transition.direction))
            self._log.begin((room_id(transition.acted_in.id), TRIED + transition.direction, direction))

    def _update_shut_exits(self, transition: StepTransition) -> None:
        direction, origin = transition.direction, transition.origin
        if direction is None or origin is None:
            return
        room = room_of(origin)
        end = self.of(room).get(direction)
        if end and room == room_of(transition.step) and says_shut(transition.step.observation):
            self._shut[room][direction] = end.removeprefix("room:")
        else:
            self._shut[room].pop(direction, None)

    def _update(self, room: str) -> None:
        self._likely[room] = self._map.likely(room)
        facts = tuple(self._facts_of(room))
        self._log.replace(self._facts.get(room, ()), facts)
        self._facts[room] = facts

    def _told_ways(self, room: str) -> dict[str, str]:
        """The ways back to where the room was entered from that the game offers or mentions."""
        named = self._map.hinted(room)
        return {d: end for d, end in self._map.presumed(room).items() if d in named and end != UNKNOWN_ROOM}

    def _facts_of(self, room: str) -> Iterator[Triple]:
        if room == UNKNOWN_ROOM:
            return
        start = self._rooms.add(room)
        exits = self._by_room[start] = {}
        shut = self._shut.get(room, {})
        for action, end in {**shut, **self._map.exits.get(room, {})}.items():
            if end != UNKNOWN_ROOM:
                exits[action] = self._rooms.add(end)
                yield (start, _relation(action), exits[action])
        told = self._told[room] = self._told_ways(room)
        for direction, end in told.items():
            yield (start, TOLD + direction, self._rooms.add(end))
        for direction in sorted(self._map.blocked.get(room, set()) - shut.keys()):
            yield (start, BLOCKED + direction, self._log.add(direction_entity(direction)))


def _relation(action: str) -> str:
    """A walk is an exit; any other action that changed the room has led there."""
    return intern((EXIT if action_kind_of(action) is ActionKind.MOVE else LED) + action)
