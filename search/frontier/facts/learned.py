"""What a search learns of the places in memory: above all, which of them tell nothing of the world."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from search.frontier.facts.places import Places, Vector

SEVERAL = 3
"""Verbs that change a variable, or places where it is changed, beyond which it is the parser's."""
ALIKE = 3
"""Rooms in which entering changes an attribute, from which on it tells of visits in all rooms."""
MANY = 6
"""Actions that change a variable, from which on it is the parser's."""
MOVES = 2
"""Moves that change a byte, beyond which it is left out."""
MOST_VALUES, MOST_COUNTED = 24, 6
"""A byte that is no object's parent, and has had more values than that, is a counter: it tells nothing. The
second: one that has only ever grown by little."""
LITTLE = 3
MARKED, MARKING = 6, 0.4
"""Things, or pairs, of which a phrase has changed a property, and their share of those that it was tried on:
from so many on that tells only that it was tried."""


@dataclass
class Learned:
    """What was learned of the places in memory, from what each action has changed."""

    places: Places
    counted: NDArray[np.bool_]
    """The bytes that tell of the world."""
    bits: Vector
    """Their bits that do."""
    values: dict[int, set[int]] = field(default_factory=dict)
    """What a byte was changed to."""
    steps: dict[int, set[int]] = field(default_factory=dict)
    """By how much a byte was changed."""
    changers: dict[int, set[tuple[int, Hashable]]] = field(default_factory=dict)
    """The phrases that have changed a byte, each with its things."""
    changed_at: dict[int, set[Hashable]] = field(default_factory=dict)
    """The places where they did."""
    movers: dict[int, set[Hashable]] = field(default_factory=dict)
    """The moves that have changed a byte, or an object's parent (under its number, negative)."""
    tried: dict[str, set[Hashable]] = field(default_factory=dict)
    """What each phrase was tried on."""
    marked: dict[str, dict[Hashable, set[int]]] = field(default_factory=dict)
    """The bytes of properties that it has changed, by what it was tried on."""
    rooms: set[int] = field(default_factory=set)
    """Those that were entered."""
    entries: dict[tuple[int, int], set[int]] = field(default_factory=dict)
    """The rooms that had bits of an attribute byte changed when they were entered."""
    visited: dict[int, int] = field(default_factory=dict)
    """The bits, by attribute byte, that entering changes in several rooms."""

    @classmethod
    def nothing(cls, places: Places) -> Learned:
        """All places that may tell of the world do."""
        counted = np.zeros(len(places.ram), bool)
        counted[places.all()] = True
        return cls(places, counted, np.full(len(places.ram), 0xFF, np.uint8))

    def copy(self) -> Learned:
        """The same, to be learned on by itself."""
        return deepcopy(self, {id(self.places): self.places})

    def leave_out(self, places: Iterable[int]) -> None:
        """Places in memory that tell nothing of the world."""
        self.counted[list(places)] = False

    def leave_out_attribute(self, offset: int, bit: int) -> None:
        """An attribute that tells nothing of the world, of whatever object; see `attributes_changed`."""
        for number in self.places.objects:
            self._hide(number, {offset: bit})

    def counts(self, at: int) -> bool:
        """Whether a place in memory tells of the world, for all that is known."""
        return bool(self.counted[at])

    def add_room(self, room: int) -> None:
        """A room, whose attributes that tell of visits are left out."""
        if room not in self.rooms and room:
            self.rooms.add(room)
            self._hide(room, self.visited)

    def note_entry(self, room: int, before: Vector, after: Vector) -> None:
        """The attributes of a room that entering it has changed tell that it was visited."""
        self.add_room(room)
        for offset, at in enumerate(self.places.attribute_bytes(room)):
            if bits := int(before[at]) ^ int(after[at]):
                rooms = self.entries.setdefault((offset, bits), set())
                rooms.add(room)
                self._hide(room, {offset: bits})
                if len(rooms) == ALIKE:
                    self.visited[offset] = self.visited.get(offset, 0) | bits
                    for each in self.rooms:
                        self._hide(each, self.visited)

    def note(
        self,
        phrase: int,
        things: Hashable,
        place: Hashable,
        before: Vector,
        after: Vector,
        changed: Iterable[int],
    ) -> None:
        """Learn from what a phrase has changed: counters, and variables of the parser, tell nothing."""
        for at in changed:
            if at in self.places.parent_at:
                continue
            values, steps = self.values.setdefault(at, set()), self.steps.setdefault(at, set())
            values.add(int(after[at]))
            steps.add(int(after[at]) - int(before[at]))
            counts_up = min(steps) > 0 and max(steps) <= LITTLE
            if len(values) > (MOST_COUNTED if counts_up else MOST_VALUES):
                self.counted[at] = False
            if self.places.is_variable(at) or self.places.is_property(at):
                changers = self.changers.setdefault(at, set())
                changers.add((phrase, things))
                several, many = len({verb for verb, _ in changers}) > SEVERAL, len(changers) > MANY
                where = self.changed_at.setdefault(at, set())
                where.add(place)
                if (several and many) or (
                    self.places.is_variable(at) and (several or many or len(where) > SEVERAL)
                ):
                    self.counted[at] = False

    def note_try(self, phrase: str, things: Hashable, changed: Iterable[int]) -> bool:
        """Learn from what a phrase has changed of properties; whether it marks whatever it is tried on.

        Some stories keep for each thing which verbs were used on it. What a phrase marks so tells nothing.
        """
        tried, marked = self.tried.setdefault(phrase, set()), self.marked.setdefault(phrase, {})
        tried.add(things)
        properties = {at for at in changed if self.places.is_property(at)}
        if properties:
            marked.setdefault(things, set()).update(properties)
        marks = bool(properties) and len(marked) >= max(MARKED, MARKING * len(tried))
        if marks:
            self.counted[[at for marks_of in marked.values() for at in marks_of]] = False
        return marks

    def note_move(self, changed: Iterable[int], move: Hashable) -> None:
        """Learn from what a move has changed: what several moves change tells only where the player is."""
        for at in changed:
            number = self.places.parent_at.get(at)
            movers = self.movers.setdefault(at if number is None else -number, set())
            movers.add(move)
            if number is None and len(movers) > MOVES:
                self.counted[at] = False
            elif number is not None and len(movers) > 1:
                self.counted[list(self.places.parent_bytes(number))] = False

    def _hide(self, number: int, bits: Mapping[int, int]) -> None:
        """Leave out attributes of an object: the bits of each of its attribute bytes."""
        for offset, hidden in bits.items():
            self.bits[self.places.entry(number) + offset] &= 0xFF & ~hidden
