"""The rule-based player at stories that are made of what is common in the genre, by their text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.in_process import Regime, play
from lantern.evaluation.planning.games import games_named

STORIES = Path(__file__).parent / "stories"


@pytest.mark.parametrize(
    ("story", "least"),
    [("crossroads", 35), ("market", 15), ("pod", 7), ("outpost", 12), ("village", 22), ("mansion", 20)],
)
def test_common_tasks_are_done(story: str, least: int) -> None:
    (game,) = games_named([str(STORIES / f"{story}.z5")])
    played = play(game, 1, Regime(steps=400))

    assert (played.opening, played.most) == (0, 10 if story == "pod" else 100)
    assert played.best >= least
