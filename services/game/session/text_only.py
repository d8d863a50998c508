"""Text-only sessions: the agent sees what a human player reads, and nothing else."""

from __future__ import annotations

from schemas.game import StepTaken
from services.game.reading.prompts import won


def redacted(step: StepTaken) -> StepTaken:
    """The step reduced to its text, its place in the session, and whether the game has ended."""
    return StepTaken(
        step=step.step,
        action=step.action,
        observation=step.observation,
        done=step.done,
        victory=step.done and won(step.observation),
        episode=step.episode,
        digest=step.digest,
    )
