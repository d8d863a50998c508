"""Rooms whose names end in a number, in a story that writes score and turns right behind them."""

from __future__ import annotations

from search.environment import Environment
from tests.support.search.rig import STORIES


def test_the_number_of_a_room_is_no_part_of_the_score() -> None:
    environment = Environment(STORIES / "cells.z5", 0)

    seen = []
    for action in ("north", "north", "take coin", "south", "south"):
        outcome = environment.step(action)
        reading = environment.reader.read(outcome.text)
        seen.append((reading.place, outcome.score, reading.moves))

    assert seen == [("Cell 1", 0, 1), ("Cell 2", 0, 2), ("Cell 2", 4, 3), ("Cell 1", 4, 4), ("Hall", 4, 5)]
