"""What counts as true of a world: bytes of memory that tell one deed from another, as a vector.

Left out is what idle commands and waiting change, what any walk changes, and where the player stands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from search.environment import Environment
from zmachine.object_table import property_table

Vector = NDArray[np.uint8]
Fact = tuple[int, int]
"""A place in the vector, and the value there."""

DEEPEST = 6
SEVERAL = 3
"""Verbs that change a variable, or places where it is changed, beyond which it is the parser's."""
ALIKE = 3
"""Rooms in which entering changes an attribute, from which on it tells of visits in all rooms."""
CROWD = 4
"""Things of the same words, from which on what is true of one is not new of another."""
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
    """What was learned of the places in memory: above all, which of them tell nothing."""

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


class FactReader:
    """Reads the facts of a position."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        layout = environment.tables.layout
        self.ram = np.frombuffer(environment.save().state.ram, np.uint8)
        self._layout = layout
        variables = environment.tables.variables
        self._variables = range(variables, variables + 480)
        parents = [self._parent_bytes(number) for number in range(1, layout.count + 1)]
        self.parent_at = {at: number for number, place in enumerate(parents, 1) for at in place}
        marks = [at for number in range(1, layout.count + 1) for at in self._attribute_bytes(number)]
        kept = [*self.parent_at, *marks, *self._variables, *self._property_bytes()]
        counted = np.zeros(len(self.ram), bool)
        counted[[at for at in kept if at < len(self.ram)]] = True
        if environment.player:
            counted[list(self._parent_bytes(environment.player))] = False
        self._learned = Learned(counted, np.full(len(self.ram), 0xFF, np.uint8))
        self._kept = deepcopy(self._learned)
        self._first = self._first_of_kind()

    @property
    def rooms(self) -> set[int]:
        """The rooms that were entered."""
        return self._learned.rooms

    def keep(self) -> None:
        """What is known by now is never forgotten."""
        self._kept = deepcopy(self._learned)

    def forget(self) -> None:
        """Forget what was learned since `keep`: in a long search ever more places seem to tell nothing."""
        self._learned = deepcopy(self._kept)

    def _entry(self, number: int) -> int:
        return self._layout.start + (number - 1) * self._layout.size

    def _parent_bytes(self, number: int) -> range:
        start = self._entry(number) + self._layout.attribute_bytes
        return range(start, start + self._layout.link_bytes)

    def _attribute_bytes(self, number: int) -> range:
        return range(self._entry(number), self._entry(number) + self._layout.attribute_bytes)

    def _property_bytes(self) -> range:
        """The properties of all objects.

        Those that an Inform story adds to a single object lie in a table of their own behind the others. The
        global variables follow, in all development stories.
        """
        layout, memory = self._layout, self.ram.tobytes()
        start, end = layout.start + layout.length, self._variables.start
        if end < start:
            tables = (property_table(memory, layout, number) for number in range(1, layout.count + 1))
            end = max(tables, default=start)
        return range(start, end)

    def leave_out(self, places: Iterable[int]) -> None:
        """Places in memory that tell nothing of the world."""
        self._learned.counted[list(places)] = False

    def leave_out_attribute(self, offset: int, bit: int) -> None:
        """An attribute that tells nothing of the world, of whatever object; see `attributes_changed`."""
        for number in range(1, self._layout.count + 1):
            self._hide(number, {offset: bit})

    def attributes_changed(self, before: Vector, changed: Iterable[int]) -> set[tuple[int, int]]:
        """The attributes of any object that are not as before: which of its bytes, and the bit."""
        after, layout = self.vector(), self._layout
        found = set()
        for at in changed:
            offset = (at - layout.start) % layout.size
            if layout.start <= at < layout.start + layout.length and offset < layout.attribute_bytes:
                differ = int(before[at]) ^ int(after[at])
                found |= {(offset, 1 << bit) for bit in range(8) if differ >> bit & 1}
        return found

    def is_variable(self, at: int) -> bool:
        """Whether a place holds a part of a global variable."""
        return at in self._variables

    def counts(self, at: int) -> bool:
        """Whether a place in memory tells of the world, for all that is known."""
        return bool(self._learned.counted[at])

    def add_room(self, room: int) -> None:
        """A room, whose attributes that tell of visits are left out."""
        if room not in self.rooms and room:
            self.rooms.add(room)
            self._hide(room, self._learned.visited)

    def note_entry(self, room: int, before: Vector, after: Vector) -> None:
        """The attributes of a room that entering it has changed tell that it was visited."""
        learned = self._learned
        self.add_room(room)
        for offset, at in enumerate(self._attribute_bytes(room)):
            if bits := int(before[at]) ^ int(after[at]):
                rooms = learned.entries.setdefault((offset, bits), set())
                rooms.add(room)
                self._hide(room, {offset: bits})
                if len(rooms) == ALIKE:
                    learned.visited[offset] = learned.visited.get(offset, 0) | bits
                    for each in self.rooms:
                        self._hide(each, learned.visited)

    def _hide(self, number: int, bits: Mapping[int, int]) -> None:
        """Leave out attributes of an object: the bits of each of its attribute bytes."""
        for offset, hidden in bits.items():
            self._learned.bits[self._entry(number) + offset] &= 0xFF & ~hidden

    def vector(self) -> Vector:
        """The memory as it is now, without what tells of visits."""
        memory = np.frombuffer(self._environment.frotz.memory(0, len(self.ram)), np.uint8)
        return memory & self._learned.bits

    def changes(self, before: Vector, after: Vector) -> list[int]:
        """Where two memories differ in what counts."""
        differ = before != after
        differ &= self._learned.counted
        return [int(at) for at in np.flatnonzero(differ) if (before[at] ^ after[at]) & self._learned.bits[at]]

    def of_kind(self, fact: Fact) -> Fact:
        """The same fact of the first of many things of one name; of all else, the fact itself."""
        return self._first.get(fact[0], fact[0]), fact[1]

    def _first_of_kind(self) -> dict[int, int]:
        """For each byte of things that share all words with several others, that of the first of them."""
        kinds: dict[tuple[str, ...], list[int]] = {}
        for number, words in self._environment.tables.words.items():
            if words:
                kinds.setdefault(words, []).append(number)
        shift = {n: numbers[0] for numbers in kinds.values() if len(numbers) >= CROWD for n in numbers}
        return {
            self._entry(number) + at: self._entry(first) + at
            for number, first in shift.items()
            for at in range(self._layout.size)
        }

    def are_true(self, memory: Vector, facts: Iterable[Fact]) -> bool:
        """Whether facts are true, but for those that have turned out to tell nothing."""
        values, counted = memory.data, self._learned.counted.data
        return all(values[at] == value for at, value in facts if counted[at])

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
        learned = self._learned
        for at in changed:
            if at in self.parent_at:
                continue
            values, steps = learned.values.setdefault(at, set()), learned.steps.setdefault(at, set())
            values.add(int(after[at]))
            steps.add(int(after[at]) - int(before[at]))
            counts_up = min(steps) > 0 and max(steps) <= LITTLE
            if len(values) > (MOST_COUNTED if counts_up else MOST_VALUES):
                learned.counted[at] = False
            if at in self._variables or at >= self._layout.start + self._layout.length:
                changers = learned.changers.setdefault(at, set())
                changers.add((phrase, things))
                several, many = len({verb for verb, _ in changers}) > SEVERAL, len(changers) > MANY
                places = learned.changed_at.setdefault(at, set())
                places.add(place)
                if (several and many) or (
                    at in self._variables and (several or many or len(places) > SEVERAL)
                ):
                    learned.counted[at] = False

    def note_try(self, phrase: str, things: Hashable, changed: Iterable[int]) -> bool:
        """Learn from what a phrase has changed of properties; whether it marks whatever it is tried on.

        Some stories keep for each thing which verbs were used on it. What a phrase marks so tells nothing.
        """
        learned, behind = self._learned, self._layout.start + self._layout.length
        tried, marked = learned.tried.setdefault(phrase, set()), learned.marked.setdefault(phrase, {})
        tried.add(things)
        properties = {at for at in changed if at >= behind and at not in self._variables}
        if properties:
            marked.setdefault(things, set()).update(properties)
        marks = bool(properties) and len(marked) >= max(MARKED, MARKING * len(tried))
        if marks:
            learned.counted[[at for places in marked.values() for at in places]] = False
        return marks

    def note_move(self, changed: Iterable[int], move: Hashable) -> None:
        """Learn from what a move has changed: what several moves change tells only where the player is."""
        learned = self._learned
        for at in changed:
            number = self.parent_at.get(at)
            movers = learned.movers.setdefault(at if number is None else -number, set())
            movers.add(move)
            if number is None and len(movers) > MOVES:
                learned.counted[at] = False
            elif number is not None and len(movers) > 1:
                learned.counted[list(self._parent_bytes(number))] = False

    def beyond_moving(
        self, before: Vector, after: Vector, changed: Iterable[int], left: int, entered: int
    ) -> list[int]:
        """Changes but for the objects that have come to a room together with the player, and its number.

        A vehicle comes along, and a story may note the room that it is in elsewhere, too.
        """
        numbers = {(left & 0xFF, entered & 0xFF), (left >> 8, entered >> 8)}
        return [
            int(at)
            for at in changed
            if (int(before[at]), int(after[at])) not in numbers
            and (at not in self.parent_at or self.parent(after, self.parent_at[at]) != entered)
        ]

    def parent(self, memory: Vector, number: int) -> int:
        """The object that an object is in."""
        return int.from_bytes(bytes(memory[at] for at in self._parent_bytes(number)), "big")

    def top(self, memory: Vector, number: int) -> int:
        """The room that an object is in, or the player; else the outermost object around it."""
        for _ in range(DEEPEST):
            parent = self.parent(memory, number)
            if not parent or number in self.rooms or number == self._environment.player:
                break
            number = parent
        return number

    def place(self) -> tuple[int, int]:
        """The player's room, and what directly holds the player."""
        return self._environment.place()
