"""What a session has come to, told with its end: in a text-only session nothing else tells the score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """Folded over a session's full steps. None: unknown."""

    score: int | None = None
    best_score: int | None = None
    victories: int = 0

    def after(self, score: int | None, victory: bool) -> Outcome:
        """The outcome with one more step."""
        known = [each for each in (self.best_score, score) if each is not None]
        return Outcome(score, max(known, default=None), self.victories + victory)
