"""The status line of versions 1 to 3, which the interpreter draws from the first three global variables."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from services.game.emulator.interpreter.status_line import status_line_of
from services.game.emulator.protocol import StatusLine


@dataclass
class Memory:
    """The emulator's memory alone."""

    data: bytes

    def memory(self, start: int, length: int) -> bytes:
        return self.data[start : start + length]


def shown(*variables: int, version: int = 3, time_game: bool = False, line: str = "") -> StatusLine | None:
    data = b"".join((value & 0xFFFF).to_bytes(2, "big") for value in (0, *variables))
    tables: Any = SimpleNamespace(
        version=version,
        variables=2,
        time_game=time_game,
        names=("", "Attic", "Hall"),
        layout=SimpleNamespace(count=2),
    )
    frotz: Any = Memory(data)
    return status_line_of(frotz, tables, line, None)


@pytest.mark.parametrize(
    ("variables", "time_game", "line"),
    [
        ((2, 35, 120), False, StatusLine("Hall", 35, 120)),
        ((1, -10, 4), False, StatusLine("Attic", -10, 4)),
        ((1, 9, 30), True, StatusLine("Attic")),
        ((7, 35, 120), False, None),
    ],
)
def test_it_shows_the_room_and_score_and_moves_or_the_time(
    variables: tuple[int, ...], time_game: bool, line: StatusLine | None
) -> None:
    assert shown(*variables, time_game=time_game) == line


def test_later_versions_draw_their_own() -> None:
    drawn = "Attic" + 40 * " " + "Score: 3   Moves: 7"

    assert shown(2, 35, 120, version=5, line=drawn) == StatusLine("Attic", 3, 7)
    assert shown(2, 35, 120, version=5) is None
