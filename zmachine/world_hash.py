"""A hash of the world: equal where every object is in the same place with the same attributes.

The order of siblings is left out (`take` and `drop` change it), and so are whoever wanders about by
themselves, properties and variables: even those that looking, waiting and nonsense leave alone tell
worlds apart that are the same (`python -m benchmarks.agreement` measures how well the hash does).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from operator import or_


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    """How one object lies in a row of equal entries: which of its bytes are its parent and its attributes."""

    size: int
    parent: range
    attributes: range


JERICHO = ObjectEntry(size=100, parent=range(68, 72), attributes=range(80, 84))
SMALL = ObjectEntry(size=9, parent=range(4, 5), attributes=range(4))
LARGE = ObjectEntry(size=14, parent=range(6, 8), attributes=range(6))


@dataclass(frozen=True, slots=True)
class Hasher:
    """Hashes the bytes of a row of objects."""

    entry: ObjectEntry
    mask: int
    """The bits that count, of the columns that are looked at, one after the other."""

    def hash(self, area: bytes, more: bytes = b"") -> str:
        """16 hexadecimal digits. `more`: what else the world consists of."""
        columns = b"".join(area[at :: self.entry.size] for at in (*self.entry.parent, *self.entry.attributes))
        kept = int.from_bytes(columns, "big") & self.mask
        return blake2b(kept.to_bytes(len(columns), "big") + more, digest_size=8).hexdigest()


def hasher(entry: ObjectEntry, rows: int, noise: bytes, wanderers: Container[int] = ()) -> Hasher:
    """`noise`: attribute bits that do not count, of whatever object. `wanderers`: whose parent does not."""
    places = bytes(0 if row in wanderers else 0xFF for row in range(1, rows + 1)) * len(entry.parent)
    marks = b"".join(bytes([0xFF & ~byte]) * rows for byte in noise)
    return Hasher(entry, int.from_bytes(places + marks, "big"))


def attribute_changes(entry: ObjectEntry, before: bytes, after: bytes) -> bytes:
    """The attribute bits that differ in any object."""
    changes = []
    for at in entry.attributes:
        column = zip(before[at :: entry.size], after[at :: entry.size], strict=True)
        changes.append(reduce(or_, (x ^ y for x, y in column), 0))
    return bytes(changes)
