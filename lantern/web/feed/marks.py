"""What happened at a step, as the timeline colours it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from lantern.web.feed.glimpses import ProposalGlimpse, StepGlimpse, VerdictGlimpse
from schemas.actor import ActionProposed
from schemas.critic import NO_CRITIC, ActionJudged, Decision
from schemas.game import HUMAN, StepTaken


class Mark(StrEnum):
    """One thing that happened at a step, the most telling first."""

    VICTORY = "victory"
    DEATH = "death"
    POINTS = "points"
    LOSS = "loss"
    SUBSTITUTED = "substituted"
    DEGRADED = "degraded"
    STUCK = "stuck"
    HUMAN = "human"


def marks_of_step(step: StepTaken | StepGlimpse) -> Iterator[Mark]:
    """What the game tells."""
    if step.done:
        yield Mark.VICTORY if step.victory else Mark.DEATH
    if step.reward:
        yield Mark.POINTS if step.reward > 0 else Mark.LOSS


def marks_of_proposal(proposal: ActionProposed | ProposalGlimpse) -> Iterator[Mark]:
    """What the actor's proposal tells."""
    if proposal.missing or proposal.degraded:
        yield Mark.DEGRADED
    if proposal.notices:
        yield Mark.STUCK
    if proposal.policy == HUMAN:
        yield Mark.HUMAN


def marks_of_verdict(verdict: ActionJudged | VerdictGlimpse) -> Iterator[Mark]:
    """What the verdict tells; the game judges where the critic did not in time."""
    if verdict.decision == Decision.SUBSTITUTE:
        yield Mark.SUBSTITUTED
    if verdict.by == "game" and verdict.reason != NO_CRITIC:
        yield Mark.DEGRADED
