"""Plays of a baseline over made-up texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from schemas.game import RESTART, StepTaken
from services.actor.baselines.player import BaselineSituation
from services.actor.logic import by_policy
from services.actor.policies import initial_situation, policy_of
from services.actor.policy import Choice
from tests.support.scenes.builders import a_session, a_text_step

HALL = "Hall\nYou are in a bare hall of grey stone. There is a brass lamp here. A passage leads north."
CAVE = "Cave\nYou are in a damp cave. A fierce troll is here. A passage leads south."
DEATH = "It was a trap.\n\n    *** You have died ***"


def after(policy: str, opening: str, *answers: tuple[str, str]) -> BaselineSituation:
    """The situation after an opening and the answers to commands; an answer with a `***` ends the game."""
    situation = initial_situation(a_session(policy=policy, steps=1_000))
    for step in steps_of(opening, answers):
        situation = situation.after(step)
    assert isinstance(situation, BaselineSituation)
    return situation


def steps_of(opening: str, answers: Sequence[tuple[str, str]]) -> Iterator[StepTaken]:
    """The steps of such a play."""
    episode = 1
    yield a_text_step(0, None, opening)
    for number, (command, text) in enumerate(answers, start=1):
        episode += command == RESTART
        over = {"done": "***" in text, "episode": episode}
        yield a_text_step(number, command, text).model_copy(update=over)


def choice(situation: BaselineSituation, seed: int = 1) -> Choice:
    """What the policy of the session chooses."""
    policy = policy_of(situation.started.policy)
    return by_policy(situation, policy, {}, Random(seed)).choice


def choices(situation: BaselineSituation, seeds: int = 200) -> set[str]:
    """What it may choose, by so many seeds."""
    return {choice(situation, seed).action for seed in range(seeds)}
