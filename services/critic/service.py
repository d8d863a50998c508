"""The critic on the bus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesh.nats.subjects import checked_session
from mesh.runner.service import Endpoint, Service, Session
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import AskOpinion, OpinionAnswer
from schemas.envelope import Envelope
from schemas.game import HUMAN, SessionStarted, StepTaken
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

    def asked(self) -> Mapping[str, Endpoint]:
        """What it thinks of an action, without a proposal."""
        return {"opinion": (AskOpinion, self.opinion)}

    async def opinion(self, asked: AskOpinion, session: Session[CriticState] | None = None) -> OpinionAnswer:
        """What it thinks of an action that a person may type at a step."""
        served = session is not None and session.at == asked.step
        state = session.state if session and served else await self._state_at(asked.session, asked.step)
        if state is None:
            refusal = f"The session {asked.session} has no step {asked.step}."
            return OpinionAnswer(ok=False, refusal=refusal)
        wish = ActionProposed(step=asked.step, action=asked.action, policy=HUMAN, reason="")
        verdict = judge(wish, state, await self._found_ahead(asked.session, asked.step))
        return OpinionAnswer(ok=True, score=verdict.score, reason=verdict.reason)

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
        return await self._found_ahead(session.id, proposal.step)

    async def _found_ahead(self, session: str, step: int) -> LookedAhead | None:
        found = await self.bus.reader.read_at(session, Kind.LOOKAHEAD, step, PLANNER)
        ahead = found.body if found is not None and isinstance(found.body, LookedAhead) else None
        return ahead if ahead is not None and ahead.origin == step else None

    async def _state_at(self, session: str, upto: int) -> CriticState | None:
        """What it would know after a step of a session that another instance serves; None: no such step."""
        started = await self.bus.reader.started(checked_session(session))
        if started is None:
            return None
        state = CriticState.opening(started)
        async for step in self.bus.reader.steps(session, 0, upto):
            state.after(step)
        return state if state.step is not None and state.step.step == upto else None
