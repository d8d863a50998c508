"""Where in a story's memory lies what may tell of the world: parents, attributes, properties, variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from search.environment import Environment
from zmachine.object_table import property_table
from zmachine.story_file import VARIABLES

Vector = NDArray[np.uint8]


class Places:
    """The places in memory of objects and of global variables."""

    def __init__(self, environment: Environment) -> None:
        self.ram = np.frombuffer(environment.save().state.ram, np.uint8)
        self._layout = environment.tables.layout
        variables = environment.tables.variables
        self.variables = range(variables, variables + VARIABLES)
        self.objects = range(1, self._layout.count + 1)
        self._behind = self._layout.start + self._layout.length
        self.parent_at = {at: number for number in self.objects for at in self.parent_bytes(number)}

    @property
    def entry_size(self) -> int:
        """How many bytes an object has in the object table."""
        return self._layout.size

    def entry(self, number: int) -> int:
        """Where an object's bytes in the object table begin."""
        return self._layout.start + (number - 1) * self._layout.size

    def parent_bytes(self, number: int) -> range:
        """The bytes that say in which object an object is."""
        start = self.entry(number) + self._layout.attribute_bytes
        return range(start, start + self._layout.link_bytes)

    def attribute_bytes(self, number: int) -> range:
        """The bytes of an object's attributes."""
        return range(self.entry(number), self.entry(number) + self._layout.attribute_bytes)

    def attribute_offset(self, at: int) -> int | None:
        """Which of an object's attribute bytes a place is; None: it is none."""
        offset = (at - self._layout.start) % self._layout.size
        is_one = self._layout.start <= at < self._behind and offset < self._layout.attribute_bytes
        return offset if is_one else None

    def is_variable(self, at: int) -> bool:
        """Whether a place holds a part of a global variable."""
        return at in self.variables

    def is_property(self, at: int) -> bool:
        """Whether a place lies behind the object table, and in no variable."""
        return at >= self._behind and not self.is_variable(at)

    def all(self) -> list[int]:
        """All places that may tell of the world."""
        marks = [at for number in self.objects for at in self.attribute_bytes(number)]
        found = [*self.parent_at, *marks, *self.variables, *self._properties()]
        return [at for at in found if at < len(self.ram)]

    def _properties(self) -> range:
        """The properties of all objects.

        Those that an Inform story adds to a single object lie in a table of their own behind the others. The
        global variables follow, in all development stories.
        """
        memory, start, end = self.ram.tobytes(), self._behind, self.variables.start
        if end < start:
            tables = (property_table(memory, self._layout, number) for number in self.objects)
            end = max(tables, default=start)
        return range(start, end)
