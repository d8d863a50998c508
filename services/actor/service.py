"""The actor on the bus: waits for the sub-agents, asks its policy, proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import structlog

from language_model.sub_agents.model_access import ModelAccess
from mesh.record.bus import Bus
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken
from services.actor.context.assembly import ActorContext
from services.actor.context.listener import FragmentListener
from services.actor.knowledge.situation import Situation
from services.actor.logic import chance, proposal, propose
from services.actor.metrics import BY_RULE, DEGRADED, MISSED, WAITED
from services.actor.policies import initial_situation, policy_of
from services.actor.reflact.policy import thought_of
from services.actor.reflact.thinking import Thinking
from services.actor.settings import ActorSettings

log = structlog.get_logger()


class ActorService(ModelAccess, Service[Situation]):
    """Assembles the fragments of a step and proposes an action."""

    name = "actor"
    version = "1.0.0"
    reads = (StepTaken,)

    def __init__(self, settings: ActorSettings | None = None) -> None:
        self.limits = settings or ActorSettings()
        self.hearing = FragmentListener(self.limits.patience)

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Listen to the sub-agents before the first step can come."""
        await super().joined(bus, settings)
        await self.hearing.open(bus, settings)

    def misses(self) -> Mapping[str, int]:
        """Deadlines that fragment services have missed."""
        return self.hearing.misses

    def opening(self, started: SessionStarted) -> Situation:
        """Nothing is known of a session that has just started."""
        return initial_situation(started)

    def fold(self, state: Situation, step: StepTaken) -> Situation:
        """The state after one more step."""
        return state.after(step)

    async def forgotten(self, session: Session[Situation]) -> None:
        """Let go of the session's fragments."""
        self.hearing.forget(session.id)

    async def answer(self, session: Session[Situation], envelope: Envelope) -> Sequence[Message]:
        """The proposal for a step, unless the step was the last of the budget."""
        step = envelope.body
        if not isinstance(step, StepTaken) or session.at != step.step or step.step >= session.started.steps:
            return ()
        with self.bus.telemetry.meter.of(WAITED).time():
            deadline = self.limits.deadline_in(session.started)
            assembled = await self.hearing.about(session.id, envelope, deadline)
        if assembled.missing:
            self._degraded(assembled.missing)
        if session.started.asks_models:
            return (await self._thought(session, assembled),)
        return (self._by_policy(session, assembled),)

    def _by_policy(self, session: Session[Situation], assembled: ActorContext) -> ActionProposed:
        policy = policy_of(session.started.policy)
        random = chance(session.started, session.at)
        return propose(session.state, policy, assembled.fragments, random, assembled.missing)

    async def _thought(self, session: Session[Situation], assembled: ActorContext) -> ActionProposed:
        thought = await thought_of(
            session.state,
            assembled.fragments,
            chance(session.started, session.at),
            await self._before(session),
            Thinking(self.model_for(session.id, session.at), self.limits.thinking),
        )
        if thought.degraded:
            self.bus.telemetry.meter.of(BY_RULE).inc()
            log.warning("decided_by_rule", why=thought.degraded)
        return proposal(session.state, thought, assembled.fragments, assembled.missing)

    async def _before(self, session: Session[Situation]) -> ActionProposed | None:
        """The proposal one step earlier, whoever made it: the record's counts, also for who starts again."""
        if not session.at:
            return None
        place = self.bus.cell.address(session.id, Kind.PROPOSAL, session.at - 1)
        held = await self.bus.reader.read_own(place)
        return held.body if held and isinstance(held.body, ActionProposed) else None

    def _degraded(self, missing: Sequence[str]) -> None:
        meter = self.bus.telemetry.meter
        meter.of(DEGRADED).inc()
        for service in missing:
            meter.of(MISSED, service).inc()
        log.warning("step_degraded", missing=missing)
