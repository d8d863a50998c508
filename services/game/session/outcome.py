"""A session's score and victories, published with its end (in a text-only session, only there)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """The result of a session so far, folded over its steps. None: unknown."""

    score: int | None = None
    best_score: int | None = None
    victories: int = 0

    def after(self, score: int | None, victory: bool) -> SessionOutcome:
        """The outcome with one more step."""
        known = [each for each in (self.best_score, score) if each is not None]
        return SessionOutcome(score, max(known, default=None), self.victories + victory)
