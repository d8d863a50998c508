"""A position of a game survives as text, and no other text is taken for one."""

from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack

from schemas.game import ValidActions
from schemas.sources import Source
from services.game.emulator.interpreter.game import Position, SavedGame
from services.game.emulator.interpreter.scene import SceneMemory
from services.game.emulator.protocol import ObservedObject, Played, SnapshotRefused
from services.game.emulator.snapshot import difference, digest_of, packed, unpacked
from services.game.session.outcome import SessionOutcome
from services.game.session.session_snapshot import SessionSnapshot
from services.game.session.session_snapshot import packed as kept_packed
from services.game.session.session_snapshot import unpacked as kept_unpacked
from zmachine.emulator.frotz import MachineState
from zmachine.emulator.probes import PlayerObject
from zmachine.emulator.readers import ScoreKnowledge, SourcedValue
from zmachine.reading.scores import Status

STORY = bytes(range(256)) * 8


def a_position(
    ram: bytes = STORY[:999], word: str = "lamp", things: tuple[ObservedObject, ...] | None = None
) -> Position:
    rooms = {7: {"lamp": "lamps"}, 2: {}}
    return Position(
        MachineState(ram, b"\0" * 9 + b"stack", (1, -2), (-(2**40), 3, 4), b"\xff"),
        SceneMemory(frozenset({word, "a"}), rooms, PlayerObject(3, None), 1, {5: "attic"}),
        ScoreKnowledge(True, 2, Status(3, None, 9), None, SourcedValue(9, Source.TEXT)),
        Played(word, "7", None, things, None, -5, None, 3, "0f", changed=True, done=False, victory=False),
    )


def a_saved_game(ram: bytes = STORY[:999]) -> SavedGame:
    return SavedGame(a_position(ram), None, a_position(), "0f")


@given(
    st.binary(max_size=3000),
    st.text(),
    st.none() | st.just((ObservedObject(1, "box", None), ObservedObject(2, "key", 1))),
)
def test_a_position_comes_out_of_its_text_as_it_went_in(
    memory: bytes, word: str, things: tuple[ObservedObject, ...] | None
) -> None:
    whole = SavedGame(a_position(memory, word, things), a_position(), a_position(memory), "0f")

    text = packed(whole, STORY)
    again = unpacked(text, STORY)

    assert again == whole
    assert list(again.now.memory.in_room) == [7, 2]
    assert text.isascii() and text.isprintable()


def test_memory_is_kept_as_what_differs_from_the_story() -> None:
    changed = bytearray(STORY)
    changed[5:9] = b"\xff" * 4
    saved = a_saved_game(bytes(changed))

    assert len(packed(saved, STORY)) < len(packed(saved, b"")) - 100
    assert difference(difference(b"abc", STORY), STORY) == b"abc"


def of_another_shape(text: str) -> str:
    """A text with a digest that is right, and data that is no saved game."""
    data = base64.b64encode(zlib.compress(msgpack.encode([1, "box", None]))).decode()
    return f"{text.rsplit(' ', 2)[0]} {digest_of(data)} {data}"


def broken_texts() -> list[str]:
    text = packed(a_saved_game(), STORY)
    head, digest, data = text.rsplit(" ", 2)
    return [
        "",
        "rubbish",
        text[:-1],
        text[:-9] + "A" * 9,
        text.replace("snapshot/2", "snapshot/3"),
        f"{head} {digest[::-1]} {data}",
        f"{head} {digest_of(data[:-1])} {data[:-1]}",
        packed(a_saved_game(), STORY + b"another"),
        of_another_shape(text),
    ]


@pytest.mark.parametrize("text", broken_texts())
def test_a_broken_or_foreign_text_is_refused(text: str) -> None:
    with pytest.raises(SnapshotRefused):
        unpacked(text, STORY)


def test_what_a_session_keeps_comes_out_as_it_went_in() -> None:
    found = {"0f": ValidActions(actions=("north",), tried=40)}
    kept = SessionSnapshot(300, {"0f": 2, "": 1}, SessionOutcome(5, 10, 1), found, "text of the emulator")

    assert kept_unpacked(kept_packed(kept)) == kept


@given(st.binary(max_size=200))
def test_bytes_that_nothing_was_kept_in_are_refused(data: bytes) -> None:
    with pytest.raises(SnapshotRefused):
        kept_unpacked(data)
