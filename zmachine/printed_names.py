"""Names that a story keeps in a property, where its objects have none of their own (Inform 7).

Which property that is, the story does not say. It is the one that spells, for the room at hand, the name
that the game has printed for it: as a packed text, or as the address of a block whose second word is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from zmachine.object_table import Layout, properties_of
from zmachine.ztext import Decoder, word

LONGEST = 60
SCALE = {1: 2, 2: 2, 3: 2, 4: 4, 5: 4, 7: 4, 8: 8}
"""Of packed addresses (Standard 1.1, section 1.2.3)."""


@dataclass(frozen=True, slots=True)
class NameProperty:
    """Where a story keeps names: in which property, and in blocks of which first word (None: none)."""

    number: int
    tag: int | None


def packed(memory: bytes, address: int) -> int:
    """The byte address of a packed text."""
    offset = 8 * word(memory, 0x2A) if memory[0] == 7 else 0
    return address * SCALE[memory[0]] + offset


def spelled(memory: bytes, data: bytes, tag: int | None) -> str:
    """The name that a property's value leads to; empty: to none."""
    if len(data) != 2:
        return ""
    address = word(data, 0)
    if tag is not None:
        if word(memory, address) != tag:
            return ""
        address = word(memory, address + 2)
    at = packed(memory, address)
    if not 0 < at < len(memory) - 1:
        return ""
    text = Decoder(memory).text(at)
    return text if len(text) <= LONGEST and "\n" not in text else ""


def namings(memory: bytes, layout: Layout, number: int) -> Iterator[tuple[NameProperty, str]]:
    """Every way in which an object could be named, and the name."""
    for property_number, data in properties_of(memory, layout, number):
        if len(data) == 2:
            for tag in (None, word(memory, word(data, 0))):
                yield NameProperty(property_number, tag), spelled(memory, data, tag)


def printed_names(memory: bytes, layout: Layout, room: int, name: str) -> Mapping[int, str]:
    """The names by object number, by the way that gives the room its printed name; empty: there is none."""
    way = next((way for way, text in namings(memory, layout, room) if text and text == name), None)
    if way is None:
        return {}
    found: dict[int, str] = {}
    for number in range(1, layout.count + 1):
        own = dict(properties_of(memory, layout, number)).get(way.number, b"")
        if text := spelled(memory, own, way.tag):
            found[number] = " ".join(text.split())
    return found
