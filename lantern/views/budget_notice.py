"""A budget that is spent is said once; what follows from it at each step is counted in the summary."""

from __future__ import annotations

from language_model.budget.budget import SPENT
from schemas.actor import ActionProposed
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted
from schemas.language_model import ModelAsked


class BudgetNotice:
    """Whether it was said that a session's budget is spent; it is given all of the session's messages."""

    def __init__(self) -> None:
        self._was_said = False

    def without_repeats(self, envelope: Envelope) -> Envelope | None:
        """The message as it is shown; None: it says nothing new. After a resume it is said once more."""
        match envelope.body:
            case SessionStarted():
                self._was_said = False
            case ModelAsked(error=error) if SPENT in error:
                repeats, self._was_said = self._was_said, True
                return None if repeats else envelope
            case FragmentGiven(degraded=why) | ActionProposed(degraded=why) if (
                self._was_said and SPENT in why
            ):
                return envelope.model_copy(update={"body": envelope.body.model_copy(update={"degraded": ""})})
            case _:
                pass
        return envelope
