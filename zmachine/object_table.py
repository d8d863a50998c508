"""The object table of a story (Standard 1.1, section 12): the tree of everything in its world."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from zmachine.ztext import Decoder, word

SMALL_LINKS, LARGE_LINKS = struct.Struct(">4xBBB2x"), struct.Struct(">6xHHH2x")
"""An entry's parent, sibling and child, among its attributes and its properties' address."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the entries of an object table lie. The entries' bytes are called the `area`."""

    start: int
    count: int
    size: int
    attribute_bytes: int
    link_bytes: int

    @property
    def length(self) -> int:
        """Bytes of the area."""
        return self.count * self.size

    def links(self, area: bytes) -> tuple[list[int], list[int], list[int]]:
        """Parents, siblings and children by object number; index 0 is nothing."""
        rows = (SMALL_LINKS if self.link_bytes == 1 else LARGE_LINKS).iter_unpack(area)
        found = ([0], [0], [0])
        for column, linked in zip(found, zip(*rows, strict=True), strict=False):
            column.extend(linked)
        return found

    def parent(self, area: bytes, number: int) -> int:
        """The object that an object is in; 0: none."""
        if not 0 < number <= self.count:
            return 0
        at = (number - 1) * self.size + self.attribute_bytes
        return area[at] if self.link_bytes == 1 else word(area, at)

    def ancestors(self, area: bytes, number: int) -> list[int]:
        """The same as of the whole tree (`Tree.ancestors`), which takes longer to read."""
        return _chain(lambda each: self.parent(area, each), number)

    def kind(self, area: bytes, number: int) -> bytes:
        """An object's attributes: equal for things of one kind."""
        entry = (number - 1) * self.size
        return area[entry : entry + self.attribute_bytes]

    def attributes(self, area: bytes, number: int) -> frozenset[int]:
        """The attributes that an object has."""
        bits = int.from_bytes(self.kind(area, number), "big")
        last = 8 * self.attribute_bytes - 1
        return frozenset(n for n in range(last + 1) if bits >> (last - n) & 1)


def layout_of(memory: bytes) -> Layout:
    """Where the objects lie. Their number is written nowhere: entries end where the properties begin."""
    small = memory[0] <= 3
    size, attribute_bytes, link_bytes, limit = (9, 4, 1, 255) if small else (14, 6, 2, 65535)
    start = word(memory, 0x0A) + (62 if small else 126)
    end = len(memory)
    count = 0
    while count < limit and start + (count + 1) * size <= end:
        properties = word(memory, start + count * size + size - 2)
        if start < properties < end:
            end = properties
        count += 1
    return Layout(start, count, size, attribute_bytes, link_bytes)


def property_table(memory: bytes, layout: Layout, number: int) -> int:
    """The address of an object's property table; the short name stands at its head."""
    return word(memory, layout.start + number * layout.size - 2)


def names_of(memory: bytes, layout: Layout) -> tuple[str, ...]:
    """The short names by object number; empty for 0 and for an object without a name."""
    decoder = Decoder(memory)
    names = [""]
    for number in range(1, layout.count + 1):
        table = property_table(memory, layout, number)
        named = table < len(memory) and memory[table] > 0
        names.append(" ".join(decoder.text(table + 1).split()) if named else "")
    return tuple(names)


def properties_of(memory: bytes, layout: Layout, number: int) -> Iterator[tuple[int, bytes]]:
    """An object's properties: number and data, in the table's order."""
    table = property_table(memory, layout, number)
    if table >= len(memory):
        return
    address = table + 1 + 2 * memory[table]
    while address + 1 < len(memory) and memory[address]:
        number, length, address = property_head(memory, address)
        yield number, memory[address : address + length]
        address += length


def property_head(memory: bytes, address: int) -> tuple[int, int, int]:
    """A property's number, its length in bytes, and where its data begins (section 12.4)."""
    size = memory[address]
    if memory[0] <= 3:
        return size & 31, (size >> 5) + 1, address + 1
    if size & 0x80:
        return size & 63, memory[address + 1] & 63 or 64, address + 2
    return size & 63, 2 if size & 0x40 else 1, address + 1


@dataclass(frozen=True, slots=True)
class Tree:
    """Who is in whom, at one moment."""

    parents: list[int]
    siblings: list[int]
    children: list[int]

    def ancestors(self, number: int) -> list[int]:
        """The parent, its parent and so on to the top; stops where a damaged tree goes in circles."""
        last = len(self.parents) - 1
        return _chain(lambda each: self.parents[each] if 0 < each <= last else 0, number)

    def inside(self, number: int) -> list[int]:
        """The children, first to last."""
        found: list[int] = []
        child = self.children[number] if 0 < number < len(self.children) else 0
        while 0 < child < len(self.parents) and child not in found:
            found.append(child)
            child = self.siblings[child]
        return found


def _chain(parent: Callable[[int], int], number: int) -> list[int]:
    chain: list[int] = []
    while (number := parent(number)) and number not in chain:
        chain.append(number)
    return chain


def tree_of(layout: Layout, area: bytes) -> Tree:
    """The tree that an area holds."""
    return Tree(*layout.links(area))


Words = Mapping[int, tuple[str, ...]]
"""The words that the parser takes for each object."""
