"""What the game answers when it is asked for the score."""

from __future__ import annotations

from folds.text.points import points_announced, score_told
from folds.vocabulary.actions import normal
from schemas.game import StepTaken


class ScoreProbes:
    """When the score was asked for, and whether that told anything."""

    def __init__(self) -> None:
        self.asked_at = 0
        """The step of the last probe."""
        self.is_useless = False
        """Whether the game announces points by itself, or does not answer."""
        self.in_vain = False
        """Whether the last probe told of no points."""

    def after(self, step: StepTaken) -> None:
        """Fold one step; each step once."""
        if normal(step.action or "") == "score":
            self.asked_at, self.in_vain = step.step, not step.reward
            self.is_useless |= score_told(step.observation) is None
        elif points_announced(step.observation):
            self.is_useless = True
