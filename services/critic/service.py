"""The critic on the bus."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.runner.service import Service, Session
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken
from services.critic.logic import judge
from services.critic.state import CriticState


class CriticService(Service[CriticState]):
    """Approves every proposal or substitutes it."""

    name = "critic"
    version = "1.0.0"
    reads = (StepTaken, ActionProposed)

    def opening(self, started: SessionStarted) -> CriticState:
        """Nothing is known of a session that has just started."""
        return CriticState.opening(started)

    def fold(self, state: CriticState, step: StepTaken) -> CriticState:
        """The state after one more step."""
        return state.after(step)

    async def answer(self, session: Session[CriticState], envelope: Envelope) -> Sequence[Message]:
        """The verdict on a proposal."""
        if isinstance(envelope.body, ActionProposed) and session.at == envelope.step:
            return (judge(envelope.body, session.state),)
        return ()
