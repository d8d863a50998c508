"""The actor of a session that an agent from outside plays."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from mesh.errors import FailureError
from mesh.runner.service import Service, Session
from mesh.settings import from_environment
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import EndReason, SessionAnswer, SessionEnded, SessionStarted, StepTaken, StopSession
from services.actor.outside.agent import AgentFailed, AgentProgram, OutsideAgent
from services.actor.outside.protocol import AgentAnswer, AgentCommand, proposed
from services.actor.settings import ActorSettings

STOPPING = 30.0
"""Seconds to wait until the game has ended a session."""

Playing = Session[StepTaken | None, OutsideAgent]

log = structlog.get_logger()


class OutsideActor(Service[StepTaken | None, OutsideAgent]):
    """Proposes what an agent from outside answers to each step; it takes no fragments.

    An agent that fails or quits ends the session.
    """

    name = "actor"
    version = "1.0.0"
    reads = (StepTaken,)
    hears = (SessionEnded,)

    def __init__(self, program: AgentProgram, settings: ActorSettings | None = None) -> None:
        self.program = program
        self._seconds = (settings or from_environment(ActorSettings)).agent_timeout

    def opening(self, started: SessionStarted) -> StepTaken | None:
        """No step yet."""
        return None

    def fold(self, state: StepTaken | None, step: StepTaken) -> StepTaken:
        """The last step."""
        return step

    def open_session(self, session: Playing) -> OutsideAgent:
        """An agent that is started with the first step."""
        return OutsideAgent(self.program, session.started, self._seconds)

    async def close_session(self, session: Playing) -> None:
        """End the agent."""
        await session.resources.close()

    async def hear(self, session: Playing | None, envelope: Envelope) -> None:
        """The session has ended; its agent may still think."""
        if session is not None:
            session.resources.stop()

    async def answer(self, session: Playing, envelope: Envelope) -> Sequence[Message]:
        """The proposal for a step, unless the step was the last of the budget."""
        step, agent = envelope.body, session.resources
        if not isinstance(step, StepTaken) or session.at != step.step or session.started.ends_with(step):
            return ()
        try:
            differs = await self._caught_up(session, step.step)
            answer = await agent.answer_to(step)
        except AgentFailed as failure:
            if not agent.over:
                log.error("agent_failed", error=str(failure))
                await self._end(session, EndReason.FAILED, str(failure))
            return ()
        if answer.command is AgentCommand.QUIT:
            await self._end(session, EndReason.QUIT)
            return ()
        return (_proposal(answer, session.started, step, differs),)

    async def _caught_up(self, session: Playing, upto: int) -> str:
        """Tell a fresh agent what was before; what it answers otherwise than before."""
        if (first := session.resources.next_step) >= upto:
            return ""
        proposals = {
            each.step: each.body.action
            async for each in self.bus.reader.of_kind(session.id, Kind.PROPOSAL)
            if isinstance(each.body, ActionProposed)
        }
        steps = [
            (step, proposals.get(step.step, ""))
            async for step in self.bus.reader.steps(session.id, first, upto - 1)
        ]
        return await session.resources.catch_up(steps)

    async def _end(self, session: Playing, reason: EndReason, detail: str = "") -> None:
        request = StopSession(session=session.id, reason=reason, detail=detail)
        answer = await self.bus.requests.ask(
            "game", "stop", request, SessionAnswer, session=session.id, timeout=STOPPING
        )
        if not answer.ok:
            raise FailureError(answer.refusal)


def _proposal(answer: AgentAnswer, started: SessionStarted, step: StepTaken, differs: str) -> ActionProposed:
    reason = "the agent's choice"
    if answer.command is not None:
        again = answer.command is AgentCommand.RESTART
        reason = "the agent starts the game and itself anew" if again else "the agent starts the game anew"
    return ActionProposed(
        step=step.step,
        action=proposed(answer, started, step),
        policy=started.policy,
        reason=reason,
        degraded="; ".join(filter(None, (differs, answer.fault))),
    )
