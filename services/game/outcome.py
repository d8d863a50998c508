"""What a session has come to, told with its end: in a text-only session nothing else tells the score."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.game import StepTaken


@dataclass(frozen=True, slots=True)
class Outcome:
    """Folded over a session's full steps. None: unknown."""

    score: int | None = None
    best_score: int | None = None
    victories: int = 0

    def after(self, step: StepTaken) -> Outcome:
        """The outcome with one more step."""
        known = [score for score in (self.best_score, step.score) if score is not None]
        return Outcome(step.score, max(known, default=None), self.victories + step.victory)
