"""A session's score and victories, published with its end (in a text-only session, only there)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.game import MOST_SCORE_CHANGES


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """The result of a session so far, folded over its steps. None: unknown."""

    score: int | None = None
    best_score: int | None = None
    victories: int = 0
    score_changes: tuple[tuple[int, int], ...] = ()
    """The steps at which the score was another than before, and the score; the first ones."""

    def after(self, step: int, score: int | None, victory: bool) -> SessionOutcome:
        """The outcome with one more step."""
        known = [each for each in (self.best_score, score) if each is not None]
        best, victories = max(known, default=None), self.victories + victory
        return SessionOutcome(score, best, victories, self._changes_with(step, score))

    def _changes_with(self, step: int, score: int | None) -> tuple[tuple[int, int], ...]:
        changes = self.score_changes
        last = changes[-1][1] if changes else None
        if score is None or score == last or len(changes) >= MOST_SCORE_CHANGES:
            return changes
        return (*changes, (step, score))
