"""The benchmark of the behaviours plays, splits the stories, and compares play by play."""

from __future__ import annotations

import pytest

from benchmarks.ablation import added
from benchmarks.behaviours import rows, shares
from benchmarks.in_process import PlayedSession, Regime, StaleRuns, play
from lantern.evaluation.plan import PlannedGame
from lantern.evaluation.planning.games import games_named
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from tests.support.scenes.builders import a_text_step

EVEN, ODD = "0" * 31 + "2", "0" * 31 + "3"


def a_session(name: str, md5: str, best: int, *, seed: int = 1, opening: int = 0) -> PlayedSession:
    game = PlannedGame(name=name, path=name, md5=md5)
    return PlayedSession(game, seed, opening, best, best, most=100, milliseconds=1.0, longest=best, idle=1)


@pytest.mark.parametrize("text_only", [True, False])
def test_the_bundled_game_is_played_alike_each_time(text_only: bool) -> None:
    (game,) = games_named(["bundled"])
    regime = Regime(steps=25, text_only=text_only)
    first, again = play(game, 1, regime), play(game, 1, regime)

    assert (first.best, first.most, first.longest) == (again.best, 50, again.longest)
    assert 0 <= first.share < 100
    assert first.milliseconds > 0


def test_a_session_without_behaviours_sees_less() -> None:
    (game,) = games_named(["bundled"])
    with_all, with_none = Regime(steps=20), Regime(steps=20, without=BEHAVIOUR_NAMES)

    assert play(game, 1, with_all).longest < play(game, 1, with_none).longest


def test_points_are_counted_from_the_opening_on() -> None:
    session = a_session("story", EVEN, 60, opening=20)

    assert session.share == 50.0
    assert not a_session("story", EVEN, 20, opening=20).has_points


def test_only_even_stories_have_a_row_of_their_own() -> None:
    table = list(rows([a_session("seen", EVEN, 10), a_session("kept back", ODD, 30)]))

    assert table == [
        "| seen | 10.00 | 10.00 | 100 | 1.0 | 10 | 1 |",
        "| **even** (1) | 10.00 | 10.00 | 100 | 1.0 | 10 | 1 |",
        "| **odd** (1) | 30.00 | 30.00 | 100 | 1.0 | 30 | 1 |",
        "| **all** (2) | 20.00 | 20.00 | 100 | 1.0 | 30 | 1 |",
    ]


def test_what_a_behaviour_adds_is_the_points_with_it_less_the_points_without_it() -> None:
    full = [a_session("a", EVEN, 10), a_session("b", ODD, 30)]
    without = [a_session("a", EVEN, 10), a_session("b", ODD, 20)]

    assert added("put", shares(full), shares(without)) == "| put | +5.00 | +0.00 to +10.00 | +0.00 | +10.00 |"


def test_a_run_ends_with_a_text_that_is_new_and_an_idle_one_also_with_an_untried_action() -> None:
    runs = StaleRuns()
    told = (
        (None, "Hall"),
        ("wait", "No."),
        ("wait", "No."),
        ("jump", "No."),
        ("wait", "Hall"),
        ("dig", "Ore."),
    )
    for number, (action, text) in enumerate(told):
        runs.note("hall", a_text_step(number, action, text))

    assert (runs.without_text, runs.without_trying) == (3, 1)
