"""The benchmark of what a session walks past counts what its actions left out."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest

from benchmarks.missed import HEAD, MissedActions, gist, missed_by, rows
from lantern.evaluation.plan import PlannedGame
from lantern.evaluation.planning.games import games_named
from tests.integration.test_behaviour_benchmark import EVEN, ODD


def of_a_session(*actions: str) -> MissedActions:
    """In a process of its own."""
    (game,) = games_named(["bundled"])
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        return pool.submit(missed_by, actions, game, 1, 5).result()


def a_count(md5: str, earning: tuple[str, ...]) -> MissedActions:
    game = PlannedGame(name="cave", path="cave", md5=md5)
    return MissedActions(game, 3, 1, 5, 20, 10, earning, ())


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("get the red ball", "take ball"),
        ("put brass lamp in wooden box", "put lamp in box"),
        ("look under bed", "look under bed"),
        ("north", "north"),
    ],
)
def test_actions_are_alike_by_verb_prepositions_and_nouns(action: str, said: str) -> None:
    assert gist(action) == said


def test_what_a_session_did_not_do_is_found() -> None:
    idle = of_a_session("wait")

    assert (idle.rooms, idle.untyped) == (1, idle.valid)
    assert idle.beside > 0 < idle.valid


def test_what_a_session_did_is_not_missed() -> None:
    idle, busy = of_a_session("wait"), of_a_session("north", "south", "drop letter", "take letter")

    assert busy.rooms == idle.rooms + 1
    assert (idle.untyped, busy.untyped) == (1, 0)


def test_what_was_missed_is_told_of_even_stories_alone() -> None:
    found = list(rows([a_count(EVEN, ("push rock",)), a_count(ODD, ("pull rope",))], tells=True))

    assert "push rock" in "".join(found)
    assert "pull rope" not in "".join(found)
    assert all(line.count("|") == HEAD[0].count("|") for line in found)
