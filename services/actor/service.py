"""The actor on the bus: waits for the sub-agents, asks its policy, proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import structlog

from mesh import record
from mesh.bus import Bus
from mesh.liveness import Roll
from mesh.service import Service, Session
from mesh.settings import MeshSettings
from mesh.subjects import Place
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment, FragmentGiven
from schemas.game import SessionStarted, StepTaken
from services.actor.assembly import Assembly
from services.actor.logic import chance, propose
from services.actor.metrics import DEGRADED, MISSED, WAITED
from services.actor.policies import policy_of
from services.actor.settings import ActorSettings
from services.actor.situation import Situation

LOOK_UP = 0.25
"""Seconds without what is awaited after which the record is looked into."""

log = structlog.get_logger()


class ActorService(Service[Situation]):
    """Assembles the fragments of a step and proposes an action."""

    name = "actor"
    version = "1.0.0"
    reads = (StepTaken,)

    def __init__(self, settings: ActorSettings | None = None) -> None:
        self.limits = settings or ActorSettings()
        self.assembly = Assembly(self.limits.patience)

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Listen to fragments and heartbeats before the first step can come."""
        await super().joined(bus, settings)
        self.roll = Roll(settings.dead_after, bus.events.clock)
        await bus.listen(Kind.FRAGMENT, self._on_fragment)
        await self.roll.open(bus)

    def misses(self) -> Mapping[str, int]:
        """Deadlines that fragment services have missed."""
        return self.assembly.misses

    def opening(self, started: SessionStarted) -> Situation:
        """Nothing is known of a session that has just started."""
        return Situation.opening(started)

    def fold(self, state: Situation, step: StepTaken) -> Situation:
        """The state after one more step."""
        return state.after(step)

    async def forgotten(self, session: Session[Situation]) -> None:
        """Let go of the session's fragments."""
        self.assembly.forget(session.id)

    async def answer(self, session: Session[Situation], envelope: Envelope) -> Sequence[Message]:
        """The proposal for a step, unless the step was the last of the budget."""
        step = envelope.body
        if not isinstance(step, StepTaken) or session.at != step.step or step.step >= session.started.steps:
            return ()
        return (await self._proposal(session, envelope, step),)

    async def _proposal(
        self, session: Session[Situation], envelope: Envelope, step: StepTaken
    ) -> ActionProposed:
        with self.bus.insight.meter.of(WAITED).time():
            await self._assemble(session.id, envelope)
        assembled = self.assembly.result(session.id)
        if assembled.missing:
            self._degraded(assembled.missing)
        return propose(
            session.state,
            policy_of(session.started.policy),
            assembled.fragments,
            chance(session.started, step.step),
            assembled.missing,
        )

    async def _assemble(self, session: str, envelope: Envelope) -> None:
        """Wait for the fragments of a step, at most until its deadline."""
        is_new = self.assembly.is_new(session)
        self.assembly.begin(session, envelope.step, await self._expected(session, envelope, is_new))
        if is_new:
            await self._look_up(session, envelope.step)
        while not await self.assembly.wait(session, min(LOOK_UP, self._left(envelope))):
            if not self._left(envelope):
                break
            await self._look_up(session, envelope.step)
        await self._look_up(session, envelope.step)

    def _degraded(self, missing: Sequence[str]) -> None:
        meter = self.bus.insight.meter
        meter.of(DEGRADED).inc()
        for service in missing:
            meter.of(MISSED, service).inc()
        log.warning("step_degraded", missing=missing)

    async def _expected(self, session: str, envelope: Envelope, is_new: bool) -> frozenset[str]:
        """Who answers a step: who was there when it was published, or has answered the step before.

        A service that was killed may be starting again, unheard of as it is.
        """
        live = self.roll.fragment_services(session, envelope.time)
        if is_new and envelope.step:
            given = await record.fragments(self.bus, session, envelope.step - 1)
            return live | {envelope.service.name for envelope in given}
        return live | (self.assembly.answered(session, envelope.step - 1) - self.roll.left)

    def _left(self, envelope: Envelope) -> float:
        """Seconds until the deadline, counted from when the step was published, or from an outage's end."""
        gone = min((self.bus.now() - envelope.time).total_seconds(), self.bus.events.there_for())
        return min(self.limits.deadline, max(0.0, self.limits.deadline - gone))

    async def _on_fragment(self, envelope: Envelope) -> None:
        if isinstance(envelope.body, FragmentGiven):
            await self._heard(envelope.session, envelope.service.name, envelope.body)

    async def _heard(self, session: str, service: str, given: FragmentGiven) -> None:
        if given.unchanged and not self.assembly.knows(session, service):
            await self._recall(session, service, given.step)
        self.assembly.note(session, service, given)

    async def _look_up(self, session: str, step: int) -> None:
        """Fragments may be in the record although their notice was lost, or came before this actor."""
        for service in self.assembly.absent(session):
            envelope = await self.bus.read(Place(self.bus.cell, session, Kind.FRAGMENT, step, service))
            if envelope is not None and isinstance(envelope.body, FragmentGiven):
                await self._heard(session, service, envelope.body)

    async def _recall(self, session: str, service: str, before: int) -> None:
        """Find what a service said last that was not "unchanged"."""
        at, said = -1, Fragment()
        for step in range(before - 1, -1, -1):
            envelope = await self.bus.read(Place(self.bus.cell, session, Kind.FRAGMENT, step, service))
            if envelope is None:
                break
            if isinstance(envelope.body, FragmentGiven) and not envelope.body.unchanged:
                at, said = step, envelope.body
                break
        self.assembly.recall(session, service, at, said)
