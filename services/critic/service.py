"""The critic on the bus."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.runner.service import Service, Session
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken
from schemas.lookahead import LookedAhead
from services.critic.logic import judge
from services.critic.state import CriticState

PLANNER = "planner"


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
            ahead = await self._ahead(session, envelope.body)
            return (judge(envelope.body, session.state, ahead),)
        return ()

    async def _ahead(self, session: Session[CriticState], proposal: ActionProposed) -> LookedAhead | None:
        """What the planner has found ahead of this position, if the actor has heard it too.

        What came too late for the actor is left out, so that a replay comes to the same verdict.
        """
        heard = any(used.service == PLANNER for used in proposal.fragments)
        if not (session.started.allows_lookahead and heard) or PLANNER in proposal.missing:
            return None
        found = await self.bus.reader.read_at(session.id, Kind.LOOKAHEAD, proposal.step, PLANNER)
        ahead = found.body if found is not None and isinstance(found.body, LookedAhead) else None
        return ahead if ahead is not None and ahead.origin == proposal.step else None
