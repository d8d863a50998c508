"""What a session is said to have come to."""

from __future__ import annotations

from datetime import timedelta

from lantern.play.summary import Summary
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.game import EndReason, SessionEnded, StepTaken
from tests.support.scenes.moment_builders import BEGIN, said


def summary_of(*messages: tuple[float, Message]) -> Summary:
    summary = Summary("s1")
    for seconds, message in messages:
        time = BEGIN + timedelta(seconds=seconds)
        summary.after(said(message, "tester").model_copy(update={"time": time}))
    return summary


def a_step(number: int, **fields: object) -> StepTaken:
    return StepTaken.model_validate({"step": number, "action": "look", "observation": "", **fields})


def test_the_best_score_may_be_of_an_earlier_episode() -> None:
    told = summary_of(
        (0, a_step(0, score=0)), (1, a_step(1, score=9)), (2, a_step(2, score=2, episode=2))
    ).as_json()

    assert (told["score"], told["best_score"], told["episodes"]) == (2, 9, 2)


def test_an_unknown_score_is_null_and_not_nought() -> None:
    told = summary_of((0, a_step(0))).as_json()

    assert (told["score"], told["best_score"]) == (None, None)


def test_a_step_is_degraded_once_however_much_was_missing() -> None:
    verdict = ActionJudged(
        step=0, action="n", proposed="n", decision=Decision.APPROVE, score=0, reason="", by="game"
    )
    proposal = ActionProposed(step=0, action="n", policy="random", reason="", missing=("hint", "memory"))

    assert summary_of((0, a_step(0)), (1, proposal), (2, verdict)).as_json()["degraded_steps"] == 1


def test_seconds_per_step_are_between_steps_and_not_before_the_first() -> None:
    told = summary_of(
        (0, a_step(0)),
        (1, a_step(1)),
        (2, a_step(2)),
        (5, a_step(3)),
        (5, SessionEnded(step=3, reason=EndReason.BUDGET)),
    ).as_json()

    assert told["seconds_per_step"] == {"p50": 1.0, "p99": 3.0}
    assert told["seconds"] == 5.0
    assert told["ended"] == "budget"


def test_steps_whose_search_the_clock_ended_are_counted_and_told() -> None:
    cut = {"valid_actions": {"actions": ["north"], "cut": True}}
    summary = summary_of((0, a_step(0)), (1, a_step(1, **cut)), (2, a_step(2, valid_actions=None)))

    assert summary.as_json()["search_cut"] == 1
    assert summary.lines()[0].startswith("search_cut: 1 ")
    assert summary_of((0, a_step(0))).lines() == []
