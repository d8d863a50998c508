"""The actor on the bus: waits for the sub-agents, asks its policy, proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import structlog

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

LOOK_EVERY = 0.25
"""Seconds after which the record is looked at for what was not heard."""

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
        self.assembly.begin(session.id, step.step)
        with self.bus.insight.meter.of(WAITED).time():
            await self._wait(session.id, envelope)
        assembled = self.assembly.result(session.id, self._live(session.id))
        if assembled.missing:
            self._degraded(assembled.missing)
        return propose(
            session.state,
            policy_of(session.started.policy),
            assembled.fragments,
            chance(session.started, step.step),
            assembled.missing,
        )

    async def _wait(self, session: str, envelope: Envelope) -> None:
        while (left := self._left(envelope)) > 0:
            live = partial(self._live, session)
            if await self.assembly.wait(session, live, min(left, LOOK_EVERY)):
                break
            await self._look_up(session, envelope.step)
        await self._look_up(session, envelope.step)

    def _degraded(self, missing: Sequence[str]) -> None:
        meter = self.bus.insight.meter
        meter.of(DEGRADED).inc()
        for service in missing:
            meter.of(MISSED, service).inc()
        log.warning("step_degraded", missing=missing)

    def _live(self, session: str) -> frozenset[str]:
        return self.roll.fragment_services(session)

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
        """A fragment may be in the record although its notice was lost (or came before this actor)."""
        for service in self.assembly.absent(session, self._live(session)):
            envelope = await self.bus.read(Place(self.bus.cell, session, Kind.FRAGMENT, step, service))
            if envelope is not None and isinstance(envelope.body, FragmentGiven):
                await self._heard(session, service, envelope.body)

    async def _recall(self, session: str, service: str, before: int) -> None:
        """Find what a service said last that was not "unchanged"."""
        said = Fragment()
        for step in range(before - 1, -1, -1):
            envelope = await self.bus.read(Place(self.bus.cell, session, Kind.FRAGMENT, step, service))
            if envelope is None:
                break
            if isinstance(envelope.body, FragmentGiven) and not envelope.body.unchanged:
                said = envelope.body
                break
        self.assembly.recall(session, service, said)
