"""The benchmark of what the player perceives counts visible things, known and unknown."""

from __future__ import annotations

from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor

from benchmarks.perception import HEAD, PerceivedThings, measured, rows
from lantern.evaluation.plan import PlannedGame
from lantern.evaluation.planning.games import games_named
from tests.integration.test_behaviour_benchmark import EVEN, ODD
from tests.support.scenes.builders import a_step


def perceived(md5: str, *, known: frozenset[str] = frozenset()) -> PerceivedThings:
    """One step in a room with a lamp and a gong, of which the text has named the gong."""
    found = PerceivedThings(PlannedGame(name="cave", path="cave", md5=md5))
    found.note(a_step(0, seen=["brass lamp", "old gong"]), known, frozenset({"gong"}))
    return found


def test_things_are_known_or_named_or_neither() -> None:
    found = perceived(EVEN)

    assert (found.visible, found.known, found.unread.total()) == (2, 0, 1)
    assert perceived(EVEN, known=frozenset({"brass"})).known == 1


def test_what_was_not_known_is_told_of_even_stories_alone() -> None:
    assert "old gong" in "".join(rows([perceived(EVEN)], tells=True))
    found = list(rows([perceived(ODD)], tells=True))
    assert "old gong" not in "".join(found)
    assert all(line.count("|") == HEAD[0].count("|") for line in found)


def test_a_session_is_measured() -> None:
    (game,) = games_named(["bundled"])
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        found = pool.submit(measured, game, Namespace(seed=1, steps=4)).result()

    assert 0 < found.known <= found.visible
