"""The policy and the sub-agent, without a server."""

from __future__ import annotations

from random import Random

from my_agent import Mine, Scales

from folds.playthrough import Playthrough
from schemas.fragment import Fragment
from schemas.game import Room, SessionStarted, StepTaken, Thing
from services.actor.knowledge.situation import Situation

STARTED = SessionStarted(
    step=0, game="test", story_md5="0" * 32, story_suffix=".z5", policy="mine", seed=1, steps=10
)


def a_step(number: int, action: str | None = None) -> StepTaken:
    held = (Thing(id=7, name="lamp"),)
    return StepTaken(
        step=number, action=action, observation="A hall.", room=Room(id="1", name="Hall"), inventory=held
    )


def test_the_policy_does_what_it_has_not_done_here() -> None:
    situation = Situation(STARTED, lambda step, experience: 0.0).after(a_step(0)).after(a_step(1, "pray"))
    hint = {"hint": Fragment(suggestions=("pray", "dance"))}

    chosen = {Mine().choose(situation, hint, Random(seed)).action for seed in range(50)}

    assert "dance" in chosen and "pray" not in chosen


def test_the_sub_agent_counts_what_is_carried() -> None:
    state = Playthrough().after(a_step(0))

    assert Scales().fragment_for(state) == "You carry 1 things."
