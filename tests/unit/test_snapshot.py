"""A position of a game survives as text, and no other text is taken for one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.game import ValidActions
from services.game.emulator.protocol import Thing
from services.game.emulator.snapshot import SnapshotRefused, difference, packed, unpacked
from services.game.session.kept import Kept
from services.game.session.kept import packed as kept_packed
from services.game.session.kept import unpacked as kept_unpacked
from services.game.session.outcome import Outcome

STORY = bytes(range(256)) * 8


@dataclass(frozen=True, slots=True)
class Part:
    """Something of everything that a position is made of."""

    memory: bytes
    registers: tuple[int, ...]
    random: tuple[int, int]
    words: set[str]
    rooms: OrderedDict[int, dict[str, str]]
    effects: dict[tuple[str, int | None], str]
    things: tuple[Thing, ...] | None
    over: bool


@dataclass(frozen=True, slots=True)
class Whole:
    """Parts within a part."""

    first: Part
    others: list[Part]


def a_part(memory: bytes = STORY[:999], word: str = "lamp", things: tuple[Thing, ...] | None = None) -> Part:
    rooms = OrderedDict([(7, {"lamp": "lamps"}), (2, {})])
    return Part(
        memory, (1, -2), (3, 4), {word, "a"}, rooms, {("0f", None): "go", ("0f", 3): "no"}, things, True
    )


@given(st.binary(max_size=3000), st.text(), st.none() | st.just((Thing(1, "box", None), Thing(2, "key", 1))))
def test_a_position_comes_out_of_its_text_as_it_went_in(
    memory: bytes, word: str, things: tuple[Thing, ...] | None
) -> None:
    whole = Whole(a_part(memory, word, things), [a_part(), a_part(memory)])

    text = packed(whole, STORY)
    again = unpacked(Whole, text, STORY)

    assert again == whole
    assert list(again.first.rooms) == [7, 2]
    assert text.isascii() and text.isprintable()


def test_memory_is_kept_as_what_differs_from_the_story() -> None:
    changed = bytearray(STORY)
    changed[5:9] = b"\xff" * 4

    assert len(packed(a_part(bytes(changed)), STORY)) < len(packed(a_part(bytes(changed)), b"")) - 100
    assert difference(difference(b"abc", STORY), STORY) == b"abc"


def broken_texts() -> list[str]:
    text = packed(a_part(), STORY)
    head, digest, data = text.rsplit(" ", 2)
    return [
        "",
        "rubbish",
        text[:-1],
        text[:-9] + "A" * 9,
        text.replace("snapshot/1", "snapshot/2"),
        f"{head} {digest[::-1]} {data}",
        packed(a_part(), STORY + b"another"),
        packed(Thing(1, "box", None), STORY),
        packed(Whole(a_part(), []), STORY),
    ]


@pytest.mark.parametrize("text", broken_texts())
def test_a_broken_or_foreign_text_is_refused(text: str) -> None:
    with pytest.raises(SnapshotRefused):
        unpacked(Part, text, STORY)


def test_what_a_session_keeps_comes_out_as_it_went_in() -> None:
    found = {"0f": ValidActions(actions=("north",), tried=40)}
    kept = Kept(300, {"0f": 2, "": 1}, Outcome(5, 10, 1), found, "text of the emulator")

    assert kept_unpacked(kept_packed(kept)) == kept


@given(st.binary(max_size=200))
def test_bytes_that_nothing_was_kept_in_are_refused(data: bytes) -> None:
    with pytest.raises(SnapshotRefused):
        kept_unpacked(data)
