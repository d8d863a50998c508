"""Names that a story keeps in a property: found by the name that it prints for the room at hand."""

from __future__ import annotations

import struct

from tests.support.scenes.story_builder import a_story, with_objects, z_string
from zmachine.object_table import layout_of
from zmachine.printed_names import printed_names

ATTIC, LAMP, SHADE = 1, 2, 3
TAG = 0x1234


def a_nameless_world(*, in_blocks: bool) -> bytes:
    """An attic, a lamp and a shade without names, whose property 7 leads to one (the shade's to none)."""
    data = bytearray(with_objects(a_story(), ("", 0, 0, 2), ("", 1, 0, 0), ("", 0, 0, 0)))
    entries = 64 + 126
    for number, name in ((ATTIC, "attic"), (LAMP, "oil lamp"), (SHADE, "")):
        table, text, block = 400 + 10 * number, 1200 + 40 * number, 500 + 10 * number
        data[text : text + len(z_string("attic"))] = z_string("attic")
        data[text : text + len(z_string(name or "x"))] = z_string(name or "x")
        struct.pack_into(">HH", data, block, TAG if name else TAG + 1, text // 4)
        value = block if in_blocks else (text // 4 if name else 0)
        struct.pack_into(">BBHB", data, table, 0, 0x40 | 7, value, 0)
        struct.pack_into(">H", data, entries + 14 * (number - 1) + 12, table)
    return bytes(data)


def test_names_lie_in_the_property_that_spells_the_rooms() -> None:
    for in_blocks in (False, True):
        memory = a_nameless_world(in_blocks=in_blocks)

        found = printed_names(memory, layout_of(memory), ATTIC, "attic")

        assert found == {ATTIC: "attic", LAMP: "oil lamp"}


def test_without_a_property_that_spells_the_room_there_are_no_names() -> None:
    memory = a_nameless_world(in_blocks=True)

    assert printed_names(memory, layout_of(memory), ATTIC, "cellar") == {}
