"""Turns a policy's choice into a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from folds.vocabulary.actions import is_restore
from schemas.actor import ActionProposed, FragmentUsed, Mind
from schemas.base import ACTION_LENGTH
from schemas.fragment import Fragment
from schemas.game import RESTART, SessionStarted
from services.actor.knowledge.notices import notices
from services.actor.knowledge.situation import Situation
from services.actor.plan.notes import mind_now
from services.actor.policies import BEHAVING, plays_alone
from services.actor.policy import Choice, Policy

LOOP = 3
"""Identical actions in a row, answered alike, after which the player looks instead (text-adventure agent,
loops)."""


TYPED = "typed by hand"
"""The reason of a person's action."""
OVER = Choice(RESTART, "the game is over")
"""The only choice over a game that is over."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A choice, and what goes with it into the proposal."""

    choice: Choice
    notices: tuple[str, ...] = ()
    mind: Mind | None = None
    degraded: str = ""


def chance(started: SessionStarted, step: int) -> Random:
    """The random generator of one decision: a restarted actor decides as the old one would have."""
    return Random(f"{started.policy_seed or started.seed}:{step}")


def by_policy(
    situation: Situation, policy: Policy, fragments: Mapping[str, Fragment], random: Random
) -> Thought:
    """The policy's choice; it is not asked about a game that is over."""
    if situation.step.done:
        choice = OVER
    else:
        choice = policy.choose(situation, fragments, random)
        if not plays_alone(situation.started.policy):
            choice = without_loop(choice, situation)
    mind = mind_now(Mind(), situation) if situation.started.policy in BEHAVING else None
    return Thought(choice, signs(situation), mind)


def by_hand(situation: Situation, action: str, before: ActionProposed | None) -> Thought:
    """What a person has typed. The mind stays as it was, but a walk of the agent's is over."""
    mind = (before.mind if before else None) or Mind()
    return Thought(
        Choice(action, TYPED), signs(situation), mind_now(mind.model_copy(update={"heading": ""}), situation)
    )


def proposal(
    situation: Situation, thought: Thought, used: tuple[FragmentUsed, ...], missing: tuple[str, ...]
) -> ActionProposed:
    """A thought as a proposal; over a game that is over it can only be `restart`, or a `restore` if allowed.

    An action that cannot be typed whole is not typed in part: the player looks instead.
    """
    may_go_back = situation.started.restore and is_restore(thought.choice.action)
    choice = OVER if situation.step.done and not may_go_back else thought.choice
    fault = _fault_of(choice.action)
    if fault:
        choice = Choice("look", fault)
    return ActionProposed(
        step=situation.step.step,
        action=choice.action,
        policy=situation.started.policy,
        reason=choice.reason,
        fragments=used,
        notices=thought.notices,
        missing=missing,
        mind=thought.mind,
        degraded=thought.degraded or fault,
    )


def _fault_of(action: str) -> str:
    """Why an action cannot be typed; empty: it can."""
    lines, length = len(action.splitlines()), len(action)
    if lines != 1:
        return f"the action that was chosen has {lines} lines"
    return f"the action that was chosen has {length} characters" if length > ACTION_LENGTH else ""


def signs(situation: Situation) -> tuple[str, ...]:
    """The signs of being stuck, each with how pressing it is."""
    return tuple(f"{notice.level}: {notice.text}" for notice in notices(situation))


def without_loop(choice: Choice, situation: Situation) -> Choice:
    """The choice, unless it was the last few already: then a look around."""
    answered_alike = len(situation.experience.answers.streak) >= LOOP
    if answered_alike and situation.repeated(choice.action, LOOP) and not situation.repeated("look", LOOP):
        return Choice("look", f"'{choice.action}' {LOOP} times in a row")
    return choice
