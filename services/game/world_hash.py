"""A hash of the world: equal where every object is in the same place with the same attributes.

The order of siblings is left out (`take` and `drop` change it), and so are properties and variables,
which count moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class Entry:
    """How one object lies in a row of equal entries: which bytes are its parent and its attributes."""

    size: int
    parent: tuple[int, int]
    """First byte, and the one after the last."""
    attributes: tuple[int, int]

    def rows(self, area: bytes) -> int:
        return len(area) // self.size


JERICHO = Entry(size=100, parent=(68, 72), attributes=(80, 84))
SMALL = Entry(size=9, parent=(4, 5), attributes=(0, 4))
LARGE = Entry(size=14, parent=(6, 8), attributes=(0, 6))


def mask_of(entry: Entry, rows: int, noise: bytes) -> int:
    """The bits of an area that count; `noise`: attribute bits that do not, of whatever object."""
    kept = bytearray(entry.size)
    kept[slice(*entry.parent)] = b"\xff" * (entry.parent[1] - entry.parent[0])
    kept[slice(*entry.attributes)] = bytes(0xFF & ~byte for byte in noise)
    return int.from_bytes(bytes(kept) * rows, "little")


def attribute_changes(entry: Entry, before: bytes, after: bytes) -> bytes:
    """The attribute bits that differ in any object."""
    first, last = entry.attributes
    return bytes(
        any_bit(x ^ y for x, y in zip(before[at :: entry.size], after[at :: entry.size]))
        for at in range(first, last)
    )


def any_bit(values: Iterable[int]) -> int:
    found = 0
    for value in values:
        found |= value
    return found


def world_hash(area: bytes, mask: int, more: bytes = b"") -> str:
    """16 hexadecimal digits."""
    kept = int.from_bytes(area, "little") & mask
    return blake2b(kept.to_bytes(len(area), "little") + more, digest_size=8).hexdigest()
