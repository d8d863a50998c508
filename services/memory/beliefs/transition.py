"""A step together with the step before it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from folds.vocabulary.actions import direction_of, goes_back, normal
from schemas.game import RESTART, Room, StepTaken


@dataclass(frozen=True)
class StepTransition:
    """A step, and the step that was folded before it (None: there is none)."""

    before: StepTaken | None
    step: StepTaken

    @cached_property
    def action(self) -> str:
        """The action in its normal form."""
        return normal(self.step.action or "")

    @cached_property
    def direction(self) -> str | None:
        """The direction in which the action goes."""
        return direction_of(self.step.action or "")

    @property
    def skips_steps(self) -> bool:
        """Whether steps between the two are missing."""
        return self.before is not None and self.step.step != self.before.step + 1

    @property
    def starts_episode(self) -> bool:
        """Whether the step begins a new episode: the game has started again."""
        return self.before is not None and self.before.episode != self.step.episode

    @cached_property
    def origin(self) -> StepTaken | None:
        """The step in whose state the action was taken; None: unknown, or the action was a restart."""
        if self.skips_steps or self.starts_episode or self.step.action == RESTART:
            return None
        return self.before

    @cached_property
    def acted_in(self) -> Room | None:
        """The room in which the action was taken; None: unknown, or the action took back earlier ones."""
        return self.origin.room if self.origin and not goes_back(self.action) else None
