"""The plays of a run that are left: an agent with experience plays a story with one seed after the other."""

from __future__ import annotations

import pytest

from lantern.evaluation.plan import Agent, Plan, PlannedGame, PlannedPlay, plays_of
from lantern.evaluation.planning.plan_checks import PlanFault, check_plan
from lantern.evaluation.playing import failed_result
from lantern.evaluation.plays_left import PlaysLeft
from lantern.evaluation.results import PlayResult, PlayState

GAME = PlannedGame(name="a", path="/a.z5", md5="a" * 32)


def the_plays(*seeds: int, experience: bool = True) -> list[PlannedPlay]:
    agent = Agent(name="x", policy="heuristic", experience=experience)
    return [*plays_of(Plan(games=("a",), agents=(agent,), seeds=seeds), (GAME,), "0" * 8)]


def finished(play: PlannedPlay) -> PlayResult:
    return failed_result(play, "").model_copy(update={"state": PlayState.FINISHED})


def test_a_play_with_experience_has_that_of_the_seeds_before_it() -> None:
    first, second, third = the_plays(4, 2, 7)

    assert [play.learned_from for play in (first, second, third)] == [(), (4,), (4, 2)]
    assert third.earlier == (first, second)
    assert (first.before, third.before) == (None, second)


def test_what_a_play_has_learned_from_belongs_to_its_key_and_changes_no_other_key() -> None:
    plain, experienced, later = the_plays(3, experience=False), the_plays(3), the_plays(1, 3)

    assert plain[0].key == "006c7e6d35bf7220"  # as before there was any experience
    assert len({plain[0].key, experienced[0].key, later[1].key}) == 3
    assert experienced[0].key == the_plays(3, 1)[0].key


def test_plays_with_experience_begin_one_after_the_other_and_others_at_once() -> None:
    first, second, third = the_plays(1, 2, 3)
    left = PlaysLeft([first, second, third, *the_plays(1, 2, experience=False)])

    assert [play.agent.experience for play in left.ready()] == [True, False, False]
    assert left.remove(first.key)
    assert left.released_by(finished(first)) == second
    assert second in left.ready() and third not in left.ready()


def test_plays_that_would_know_of_one_that_failed_fail_too() -> None:
    first, second, third = the_plays(1, 2, 3)
    left = PlaysLeft([first, second, third])
    left.remove(first.key)
    failed = failed_result(first, "no luck")

    assert left.released_by(failed) is None
    lost = [*left.lost_with(failed)]

    assert [(each.play, each.state) for each in lost] == [
        (play.key, PlayState.FAILED) for play in (second, third)
    ]
    assert all(first.session in each.failure for each in lost)
    assert not left.by_key


def test_a_policy_that_learns_nothing_is_refused_experience() -> None:
    agent = Agent(name="x", policy="random", experience=True)

    with pytest.raises(PlanFault, match="random learns nothing from earlier plays") as refused:
        check_plan(Plan(games=("bundled",), agents=(agent,)))

    assert refused.value.place == ("agents", 0, "experience")
