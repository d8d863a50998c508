"""Makes a proposal of a policy's choice."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from schemas.actor import ActionProposed
from schemas.base import ACTION_LENGTH
from schemas.fragment import Fragment
from schemas.game import RESTART, SessionStarted
from services.actor.choice import Choice, Policy
from services.actor.notices import notices
from services.actor.situation import Situation

LOOP = 3
"""Identical actions in a row after which the player looks instead (text-adventure agent, loops)."""


def chance(started: SessionStarted, step: int) -> Random:
    """The random generator of one decision: a restarted actor decides as the old one would have."""
    return Random(f"{started.policy_seed or started.seed}:{step}")


def propose(
    situation: Situation,
    policy: Policy,
    fragments: Mapping[str, Fragment],
    random: Random,
    missing: tuple[str, ...] = (),
) -> ActionProposed:
    """The policy's choice as a proposal; over a game that is over it can only be `restart`."""
    choice = _choice(situation, policy, fragments, random)
    return ActionProposed(
        step=situation.step.step,
        action=choice.action[:ACTION_LENGTH],
        policy=situation.started.policy,
        reason=choice.reason,
        fragments=tuple(sorted(fragments)),
        notices=tuple(f"{notice.level}: {notice.text}" for notice in notices(situation)),
        missing=missing,
    )


def _choice(
    situation: Situation, policy: Policy, fragments: Mapping[str, Fragment], random: Random
) -> Choice:
    if situation.step.done:
        return Choice(RESTART, "the game is over")
    choice = policy.choose(situation, fragments, random)
    if situation.repeated(choice.action, LOOP) and not situation.repeated("look", LOOP):
        return Choice("look", f"'{choice.action}' {LOOP} times in a row")
    return choice
