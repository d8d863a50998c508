"""The context of a live session: receives fragments as they are published, and waits for those expected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from mesh.nats.codec import Undecodable, decode
from mesh.nats.subjects import subject_of
from mesh.observability.liveness import LivenessTracker
from mesh.record.bus import Bus
from mesh.runner.service import Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.mesh import ServiceAlive
from services.actor.context.assembly import FragmentAssembler
from services.actor.context.source import ActorContext, ContextSource
from services.actor.settings import ActorSettings

LOOK_UP = 0.25
"""Seconds without an awaited fragment after which the record is read."""

SETTLING = 1.0
"""Seconds after its own start in which an actor that takes over an opening lets other services start."""

ActorSession = Session[Any, FragmentAssembler]


class FragmentListener(ContextSource):
    """Receives the fragments of all sessions, and knows which services should answer a step."""

    def __init__(self, settings: ActorSettings) -> None:
        self.settings = settings
        self.liveness = LivenessTracker(0.0)

    async def open(self, bus: Bus, settings: MeshSettings) -> None:
        """Listen to heartbeats before the first step can come."""
        self.bus = bus
        self.opened = bus.cell.now()
        self.liveness = LivenessTracker(settings.dead_after, bus.cell.events.clock)
        await self.liveness.open(bus.cell)

    async def hear(self, session: ActorSession, envelope: Envelope) -> None:
        """A fragment has been published, or found in the record."""
        service = envelope.service.name
        if isinstance(given := envelope.body, FragmentGiven) and service not in session.started.without:
            if given.unchanged and not session.resources.continues(service, given.step):
                await self._recall(session, envelope)
            session.resources.note(service, given)

    async def mishear(self, session: ActorSession, service: str, step: int) -> None:
        """An invalid fragment is not waited for any longer."""
        session.resources.refuse(service, step)

    def known_instances(self) -> Sequence[ServiceAlive]:
        """The live instances of the cell."""
        return self.liveness.live()

    async def context_for(self, session: ActorSession, step: Envelope) -> ActorContext:
        """The fragments that arrive within the deadline, counted from the step's publication."""
        assembly = session.resources
        is_new = assembly.is_new()
        expected = await self._expected(assembly, step)
        assembly.begin(step.step, expected.difference(session.started.without))
        deadline = self.settings.deadline_in(session.started)
        if is_new:
            await self._look_up(session, step)
        while not await assembly.wait(min(LOOK_UP, self._left(step, deadline))):
            if not self._left(step, deadline):
                break
            await self._look_up(session, step)
        await self._look_up(session, step)
        return assembly.result()

    async def verdict_at(self, session: ActorSession, step: int) -> ActionJudged | None:
        """The verdict in the record."""
        envelope = await self.bus.reader.read_at(session.id, Kind.VERDICT, step)
        return envelope.body if envelope and isinstance(envelope.body, ActionJudged) else None

    async def _expected(self, assembly: FragmentAssembler, step: Envelope) -> frozenset[str]:
        """Services that were ready when the step was published, and those of the step before.

        One that answered the step before may have stopped since, to start again: it is waited for once.
        """
        live = self.liveness.fragment_services(step.session, step.time)
        answered = assembly.answered_at(step.step - 1)
        if answered is not None and not assembly.is_new():
            return live | answered
        previous = await self._previous(step)
        if previous is not None:
            return live | {used.service for used in previous.fragments} | {*previous.missing}
        return live if step.time >= self.opened else await self._started_beside(step.session)

    async def _previous(self, step: Envelope) -> ActionProposed | None:
        """The proposal one step earlier names all services that an earlier instance of the actor knew."""
        if not step.step:
            return None
        address = self.bus.cell.address(step.session, Kind.PROPOSAL, step.step - 1)
        envelope = await self.bus.reader.read_own(address)
        return envelope.body if envelope and isinstance(envelope.body, ActionProposed) else None

    async def _started_beside(self, session: str) -> frozenset[str]:
        """An actor that takes over an opening finds no names in the record: services may be starting too."""
        since_start = (self.bus.cell.now() - self.opened).total_seconds()
        await asyncio.sleep(max(0.0, SETTLING - since_start))
        return self.liveness.fragment_services(session, self.bus.cell.now())

    def _left(self, step: Envelope, deadline: float) -> float:
        """Seconds until the deadline, counted from the step's publication, or from an outage's end."""
        return min(deadline, max(0.0, deadline - self.bus.cell.age(step)))

    async def _look_up(self, session: ActorSession, step: Envelope) -> None:
        """Read what was published before this actor came, or while the connection was lost."""
        for service in session.resources.absent():
            address = self.bus.cell.address(step.session, Kind.FRAGMENT, step.step, service)
            raw = await self.bus.reader.raw(subject_of(address))
            if raw is None:
                continue
            try:
                await self.hear(session, decode(subject_of(address), raw.data or b""))
            except Undecodable:
                session.resources.refuse(service, step.step)

    async def _recall(self, session: ActorSession, unchanged: Envelope) -> None:
        """Find the message with the text that "unchanged" refers to; if there is none, the oldest message."""
        given = await self._used_before(unchanged) or await self._newest_text(unchanged)
        if given is not None:
            session.resources.keep_text(unchanged.service.name, given)

    async def _used_before(self, unchanged: Envelope) -> FragmentGiven | None:
        """The text of the step before, which its proposal names if the service had answered in time."""
        service, previous = unchanged.service.name, await self._previous(unchanged)
        if previous is None or service in previous.missing:
            return None
        used = next((used.step for used in previous.fragments if used.service == service), None)
        return None if used is None else await self._given(unchanged.session, service, used)

    async def _newest_text(self, unchanged: Envelope) -> FragmentGiven | None:
        """The same, from the service's own messages, the newest first."""
        service, given = unchanged.service.name, None
        answered = await self.bus.reader.steps_answered(unchanged.session, service)
        for step in sorted((step for step in answered if step <= unchanged.step), reverse=True):
            given = await self._given(unchanged.session, service, step) or given
            if given is not None and not given.unchanged:
                break
        return given

    async def _given(self, session: str, service: str, step: int) -> FragmentGiven | None:
        envelope = await self.bus.reader.read_at(session, Kind.FRAGMENT, step, service)
        return envelope.body if envelope and isinstance(envelope.body, FragmentGiven) else None
