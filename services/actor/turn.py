"""What was proposed at an earlier step, and how it was judged."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.actor import ActionProposed, Mind
from schemas.critic import ActionJudged


@dataclass(frozen=True, slots=True)
class Turn:
    """A proposal and its verdict; None: the record has none."""

    proposal: ActionProposed | None = None
    verdict: ActionJudged | None = None
    earlier_mind: Mind | None = None
    """The mind of the proposal before; None: it had none."""
