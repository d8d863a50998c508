"""The map as it grew: each thing known of a room, with the steps between which it was known."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from folds.map import Map
from folds.text.rooms import UNKNOWN_ROOM, room_of
from lantern.views.drawing.layout import Way, placed
from schemas.game import StepTaken


class FactKind(StrEnum):
    """What is known of a room."""

    EXIT = "exit"
    PRESUMED = "presumed"
    BLOCKED = "blocked"
    UNEXPLORED = "unexplored"
    THING = "thing"


Key = tuple[FactKind, str, str, str]
"""The kind, the room, the way (or the thing), and the room to which it leads."""


class MapFact(msgspec.Struct):
    """Something known of a room from a step on."""

    number: int
    kind: FactKind
    room: str
    way: str
    end: str
    since: int
    until: int | None = None
    """The first step at which it was not known any more."""


class MapRoom(msgspec.Struct):
    """A room and its cell on the grid, once it has one."""

    id: str
    name: str
    since: int
    x: int = 0
    y: int = 0


class MapTimeline:
    """Folds steps that a `TextReader` has read; what has changed is handed out once, by its number."""

    def __init__(self) -> None:
        self.rooms: dict[str, MapRoom] = {}
        self.facts: list[MapFact] = []
        self._map = Map()
        self._open: dict[str, dict[Key, int]] = {}
        self._changed_rooms: set[str] = set()
        self._changed_facts: set[int] = set()
        self._to_be_placed = False

    def after(self, step: StepTaken) -> MapTimeline:
        """Fold one step; a step that was folded before changes nothing."""
        before = self._map.last
        if before is not None and step.step <= before.step:
            return self
        self._map.after(step)
        here = self._map.here
        touched = {room_of(before), here} if before is not None else {here}
        for room in touched - {UNKNOWN_ROOM}:
            self._note_room(room, step.step)
            self._note_facts(room, step)
        return self

    @property
    def has_news(self) -> bool:
        """Whether anything has changed since the last call of `drain`."""
        return self._to_be_placed or bool(self._changed_rooms or self._changed_facts)

    def drain(self) -> dict[str, Any] | None:
        """What has changed since the last call, as JSON; None: nothing."""
        if self._to_be_placed:
            self._place()
        if not self.has_news:
            return None
        told = self._as_json(sorted(self._changed_rooms), sorted(self._changed_facts))
        self._changed_rooms.clear()
        self._changed_facts.clear()
        return told

    def whole(self) -> dict[str, Any]:
        """All of it, as JSON."""
        if self._to_be_placed:
            self._place()
        return self._as_json([*self.rooms], range(len(self.facts)))

    def _as_json(self, rooms: list[str], facts: list[int] | range) -> dict[str, Any]:
        return {
            "rooms": [self.rooms[room] for room in rooms],
            "facts": [self.facts[number] for number in facts],
        }

    def _note_room(self, room: str, step: int) -> None:
        name = self._map.names.get(room, room)
        if room not in self.rooms:
            self.rooms[room] = MapRoom(room, name, step)
            self._to_be_placed = True
        elif self.rooms[room].name == name:
            return
        self.rooms[room].name = name
        self._changed_rooms.add(room)

    def _note_facts(self, room: str, step: StepTaken) -> None:
        known, present = self._open.setdefault(room, {}), set(self._keys(room, step))
        for key in known.keys() - present:
            number = known.pop(key)
            self.facts[number].until = step.step
            self._changed_facts.add(number)
        for key in sorted(present - known.keys()):
            known[key] = len(self.facts)
            self._changed_facts.add(len(self.facts))
            self.facts.append(MapFact(len(self.facts), *key, since=step.step))
            self._to_be_placed |= key[0] is FactKind.EXIT

    def _keys(self, room: str, step: StepTaken) -> list[Key]:
        known = self._map
        walked, presumed = known.exits.get(room, {}), known.presumed(room)
        keys: list[Key] = [(FactKind.EXIT, room, way, end) for way, end in walked.items()]
        keys += [(FactKind.PRESUMED, room, way, end) for way, end in presumed.items()]
        keys += [(FactKind.BLOCKED, room, way, "") for way in known.blocked.get(room, ())]
        keys += [(FactKind.UNEXPLORED, room, way, "") for way in known.likely(room)]
        if room == known.here and step.objects is not None:
            here = (thing.name for thing in step.objects if thing.container is None)
            return keys + [(FactKind.THING, room, name, "") for name in here]
        return keys + [key for key in self._open.get(room, {}) if key[0] is FactKind.THING]

    def _place(self) -> None:
        """Lay the rooms out anew: a new way may show that one stands elsewhere."""
        self._to_be_placed = False
        ways = [Way(fact.room, fact.end, fact.way) for fact in self.facts if fact.kind is FactKind.EXIT]
        for way in ways:
            if way.end not in self.rooms and way.end != UNKNOWN_ROOM:
                self.rooms[way.end] = MapRoom(way.end, self._map.names.get(way.end, way.end), 0)
        known = [way for way in ways if way.start in self.rooms and way.end in self.rooms]
        for room, (x, y) in placed([*self.rooms], known).items():
            if (self.rooms[room].x, self.rooms[room].y) != (x, y) or room not in self._changed_rooms:
                self.rooms[room].x, self.rooms[room].y = x, y
                self._changed_rooms.add(room)
