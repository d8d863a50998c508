"""Hears the sub-agents, and waits for what they say about a step, never longer than a deadline."""

from __future__ import annotations

from collections.abc import Mapping

from mesh.observability.liveness import LivenessTracker
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import Fragment, FragmentGiven
from services.actor.context.assembly import ActorContext, FragmentAssembler

LOOK_UP = 0.25
"""Seconds without what is awaited after which the record is looked into."""


class FragmentListener:
    """The fragments of all sessions as they come, and who is there to give them."""

    def __init__(self, patience: int) -> None:
        self.assembly = FragmentAssembler(patience)

    async def open(self, bus: Bus, settings: MeshSettings) -> None:
        """Listen to fragments and heartbeats before the first step can come."""
        self.bus = bus
        self.liveness = LivenessTracker(settings.dead_after, bus.cell.events.clock)
        await bus.cell.listen(Kind.FRAGMENT, self._on_fragment)
        await self.liveness.open(bus.cell)

    @property
    def misses(self) -> Mapping[str, int]:
        """Deadlines that fragment services have missed."""
        return self.assembly.misses

    def forget(self, session: str) -> None:
        """Let go of a session's fragments."""
        self.assembly.forget(session)

    async def about(self, session: str, envelope: Envelope, deadline: float) -> ActorContext:
        """What was said about a step within `deadline` seconds of it, and who is missing."""
        is_new = self.assembly.is_new(session)
        self.assembly.begin(session, envelope.step, await self._expected(session, envelope, is_new))
        if is_new:
            await self._look_up(session, envelope.step)
        while not await self.assembly.wait(session, min(LOOK_UP, self._left(envelope, deadline))):
            if not self._left(envelope, deadline):
                break
            await self._look_up(session, envelope.step)
        await self._look_up(session, envelope.step)
        return self.assembly.result(session)

    async def _expected(self, session: str, envelope: Envelope, is_new: bool) -> frozenset[str]:
        """Who answers a step: who was there when it was published, or has answered the step before.

        A service that was killed may be starting again, unheard of as it is.
        """
        live = self.liveness.fragment_services(session, envelope.time)
        if is_new and envelope.step:
            return live | await self.bus.reader.fragment_services(session, envelope.step - 1)
        return live | (self.assembly.answered(session, envelope.step - 1) - self.liveness.left)

    def _left(self, envelope: Envelope, deadline: float) -> float:
        """Seconds until the deadline, counted from when the step was published, or from an outage's end."""
        gone = self.bus.cell.age(envelope)
        return min(deadline, max(0.0, deadline - gone))

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
            envelope = await self.bus.reader.read_at(session, Kind.FRAGMENT, step, service)
            if envelope is not None and isinstance(envelope.body, FragmentGiven):
                await self._heard(session, service, envelope.body)

    async def _recall(self, session: str, service: str, before: int) -> None:
        """Find what a service said last that was not "unchanged"."""
        at, said = -1, Fragment()
        for step in range(before - 1, -1, -1):
            envelope = await self.bus.reader.read_at(session, Kind.FRAGMENT, step, service)
            if envelope is None:
                break
            if isinstance(envelope.body, FragmentGiven) and not envelope.body.unchanged:
                at, said = step, envelope.body
                break
        self.assembly.recall(session, service, at, said)
