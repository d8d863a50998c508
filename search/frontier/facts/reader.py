"""What counts as true of a world: bytes of memory that tell one deed from another, as a vector.

Left out is what idle commands and waiting change, what any walk changes, and where the player stands.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from search.environment import Environment
from search.frontier.facts.learned import Learned
from search.frontier.facts.places import Places, Vector

Fact = tuple[int, int]
"""A place in the vector, and the value there."""

DEEPEST = 6
CROWD = 4
"""Things of the same words, from which on what is true of one is not new of another."""


class FactReader:
    """Reads the facts of a position."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.places = Places(environment)
        self.learned = Learned.nothing(self.places)
        if environment.player:
            self.learned.leave_out(self.places.parent_bytes(environment.player))
        self._kept = self.learned.copy()
        self._first = self._first_of_kind()

    def keep(self) -> None:
        """What is known by now is never forgotten."""
        self._kept = self.learned.copy()

    def forget(self) -> None:
        """Forget what was learned since `keep`: in a long search ever more places seem to tell nothing."""
        self.learned = self._kept.copy()

    def vector(self) -> Vector:
        """The memory as it is now, without what tells of visits."""
        memory = np.frombuffer(self._environment.frotz.memory(0, len(self.places.ram)), np.uint8)
        return memory & self.learned.bits

    def changes(self, before: Vector, after: Vector) -> list[int]:
        """Where two memories differ in what counts."""
        differ = before != after
        differ &= self.learned.counted
        return [int(at) for at in np.flatnonzero(differ) if (before[at] ^ after[at]) & self.learned.bits[at]]

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
            self.places.entry(number) + at: self.places.entry(first) + at
            for number, first in shift.items()
            for at in range(self.places.entry_size)
        }

    def are_true(self, memory: Vector, facts: Iterable[Fact]) -> bool:
        """Whether facts are true, but for those that have turned out to tell nothing."""
        values, counted = memory.data, self.learned.counted.data
        return all(values[at] == value for at, value in facts if counted[at])

    def attributes_changed(self, before: Vector, changed: Iterable[int]) -> set[tuple[int, int]]:
        """The attributes of any object that are not as before: which of its bytes, and the bit."""
        after, found = self.vector(), set()
        for at in changed:
            if (offset := self.places.attribute_offset(at)) is not None:
                differ = int(before[at]) ^ int(after[at])
                found |= {(offset, 1 << bit) for bit in range(8) if differ >> bit & 1}
        return found

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
            and (at not in self.places.parent_at or self.parent(after, self.places.parent_at[at]) != entered)
        ]

    def parent(self, memory: Vector, number: int) -> int:
        """The object that an object is in."""
        return int.from_bytes(bytes(memory[at] for at in self.places.parent_bytes(number)), "big")

    def top(self, memory: Vector, number: int) -> int:
        """The room that an object is in, or the player; else the outermost object around it."""
        for _ in range(DEEPEST):
            parent = self.parent(memory, number)
            if not parent or number in self.learned.rooms or number == self._environment.player:
                break
            number = parent
        return number

    def place(self) -> tuple[int, int]:
        """The player's room, and what directly holds the player."""
        return self._environment.place()
