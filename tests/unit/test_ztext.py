"""Z-strings: alphabets, shifts, escapes and abbreviations."""

import struct

from tests.support.scenes.story_builder import a_story, z_characters, z_string
from zmachine.ztext import Decoder


def text_of(encoded: bytes, *, version: int = 5, memory: bytes | None = None) -> str:
    data = bytearray(memory or a_story(version=version))
    data[512 : 512 + len(encoded)] = encoded
    return Decoder(bytes(data)).text(512)


def test_three_letters_lie_in_two_bytes() -> None:
    assert text_of(z_string("brass lantern")) == "brass lantern"


def test_a_shift_holds_for_one_character() -> None:
    assert text_of(z_characters(4, 6, 7, 5, 18, 6)) == "Ab.a"


def test_in_versions_1_and_2_a_shift_may_lock() -> None:
    assert text_of(z_characters(4, 6, 7, 2, 8, 6), version=2) == "AB0A"


def test_in_version_1_code_1_is_a_new_line() -> None:
    assert text_of(z_characters(6, 1, 7), version=1) == "a\nb"


def test_a_character_outside_the_alphabets_is_written_by_its_number() -> None:
    number = 158  # of table 1 in section 3

    assert text_of(z_characters(5, 6, number >> 5, number & 31)) == "Ä"


def test_an_abbreviation_stands_for_a_longer_text() -> None:
    memory = bytearray(a_story())
    struct.pack_into(">H", memory, 0x18, 600)
    struct.pack_into(">H", memory, 600 + 2 * 33, 700 // 2)
    encoded = z_string("lantern")
    memory[700 : 700 + len(encoded)] = encoded

    assert text_of(z_characters(6, 0, 2, 1), memory=bytes(memory)) == "a lantern"


def test_a_story_may_bring_its_own_alphabet() -> None:
    memory = bytearray(a_story())
    struct.pack_into(">H", memory, 0x34, 600)
    memory[600:678] = bytes(reversed(b"abcdefghijklmnopqrstuvwxyz")) * 3

    assert text_of(z_string("abc"), memory=bytes(memory)) == "zyx"


def test_a_string_without_an_end_stops_with_the_file() -> None:
    assert set(Decoder(bytes([5]) + bytes(2047)).text(1024)) == {" "}
