"""Runs one service: joins the mesh, reacts to each message, drains, leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

import structlog
from nats.js.errors import APIError

from mesh.errors import BusUnreachable, NotAllowed
from mesh.nats.codec import Undecodable, decode, envelope_address
from mesh.nats.connection import reason_of
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.nats.subjects import address_of, message_id
from mesh.observability.liveness import LivenessTracker
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from mesh.runner.consumer import Consumer, kinds_for
from mesh.runner.dead_letters import dead_letter_at
from mesh.runner.deliveries.delivery import Delivery
from mesh.runner.health import Health
from mesh.runner.heartbeat import Heartbeat
from mesh.runner.inbox import Inbox
from mesh.runner.service import Service, Session
from mesh.runner.shadow import Shadow
from mesh.runner.states.session_states import SessionStates
from mesh.runner.states.state_cache import StateCache
from mesh.runner.succession import LOOK, Succession
from mesh.settings import MeshSettings
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted
from schemas.mesh import RetryAnswer, RetryDeadLetter, ServiceState

CHAIN = (Kind.STEP, Kind.PROPOSAL, Kind.VERDICT)
"""The messages of a step in the order in which one leads to the next."""

FAULTS = 256
"""The number of faults of which one dead letter each is enough."""

STORED_LOOKS = 20
"""How often the record is read for an invalid message that was heard, each time after a pause of `LOOK`."""

log = structlog.get_logger()

S = TypeVar("S")


class Runner(Generic[S]):
    """One instance of one service in one cell, for all sessions (`scope="*"`) or for a single one.

    `as_shadow`: what the service says is not used: it is kept beside the record, and compared. `replacing`:
    the other instances stand by while this one lives. The connection is its owner's to close, after `run`.
    """

    def __init__(
        self,
        service: Service[S],
        bus: Bus,
        settings: MeshSettings,
        scope: str = "*",
        *,
        as_shadow: bool = False,
        replacing: bool = False,
    ) -> None:
        self.service, self.bus, self.settings = service, bus, settings
        self.replacing = replacing
        self._tasks = asyncio.TaskGroup()
        self.shadow = Shadow(bus, self._tasks) if as_shadow else None
        cache = StateCache(service, bus, settings, used=not as_shadow)
        self.sessions = SessionStates(service, bus, cache)
        writes_to = self.shadow.beside if self.shadow else bus
        kinds, alone = kinds_for(service.reads), as_shadow or replacing
        self.consumer = Consumer(bus.cell, kinds, scope, settings, self._forget_record, alone)
        self.delivery = Delivery(
            service, writes_to, settings, self.consumer, self.sessions, self._react, self._tasks
        )
        self.inbox = Inbox(self.consumer)
        self.health = Health(self.consumer, bus.telemetry.meter)
        find = self.sessions.find
        self.presence = Heartbeat(service, bus, settings, scope, self._counts, find, self.shadow)
        if not as_shadow:
            self.delivery.succession = Succession(
                scope,
                lambda: self.presence.replaces,
                LivenessTracker(settings.dead_after, bus.cell.events.clock),
                self.delivery.acknowledge_deferred,
            )
        self._faults: tuple[tuple[str, str | None, str], ...] = ()
        """Faults of messages that were heard: the session, the publisher, and the fault."""
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Serve until `stop` is called; then finish what is in hand."""
        try:
            async with self._tasks as tasks:
                ticking = tasks.create_task(self.health.tick())
                await self._join()
                beside = [tasks.create_task(chore) for chore in self._chores()]
                reading = tasks.create_task(self.inbox.read(self.delivery.deliver))
                await self._stop.wait()
                await self._drain(reading)
                for chore in (ticking, *beside):
                    chore.cancel()
        finally:
            await self._leave()

    def _chores(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """What goes on beside the messages, until the service leaves."""
        return (
            self.presence.beat(),
            self.delivery.keep_in_hand(),
            self.delivery.acknowledgements.send_in_groups(),
            self._give_way(),
        )

    async def ready(self) -> None:
        """Wait until the service takes messages."""
        await self._ready.wait()

    def stop(self) -> None:
        """Ask the service to finish what is in hand and to leave."""
        self._stop.set()

    # -- coming and going

    def _counts(self) -> dict[str, Any]:
        problems = self.health.problems(self.presence.state)
        p50, p99 = self.bus.telemetry.latencies() or (None, None)
        told = {"healthy": not problems, "problems": problems, "seconds_p50": p50, "seconds_p99": p99}
        return {**self.delivery.counts(), **told}

    async def _join(self) -> None:
        await self.presence.appear({"retry": (RetryDeadLetter, self._retry)})
        await self.presence.turn(ServiceState.WARMING)
        has_own_user = self.bus.cell.events.user == self.bus.cell.me.name  # it may not hear heartbeats
        if self.delivery.succession is not None and not has_own_user:
            await self.delivery.succession.open(self.bus.cell)
        await self.service.joined(self.bus, self.settings)
        for message in self.service.hears:
            await self.bus.cell.listen(message.kind, self._hear, self._mishear)
        await self.consumer.provision()
        await self.presence.answer(self.service.asked())
        await self.bus.cell.ready()
        if self.replacing:
            self.presence.replaces = await self.bus.reader.sequence()
        await self.presence.turn(ServiceState.READY)
        self._ready.set()

    async def _give_way(self) -> None:
        """Stand by while another instance replaces this one; take the work back when that has gone."""
        succession = self.delivery.succession
        while succession is not None:
            await asyncio.sleep(LOOK)
            stands_by = self.presence.state is ServiceState.STANDBY
            if succession.is_replaced() and not stands_by:
                await self.presence.withdraw()
                await self.presence.turn(ServiceState.STANDBY)
            elif stands_by and not succession.is_replaced():
                await self.presence.appear({"retry": (RetryDeadLetter, self._retry), **self.service.asked()})
                await self.presence.turn(ServiceState.READY)
            self.delivery.take_back()

    async def _drain(self, reading: asyncio.Task[None]) -> None:
        await self.presence.turn(ServiceState.DRAINING)
        await self.inbox.settle()
        self.inbox.stop()
        await reading
        await self.delivery.drain()

    async def _leave(self) -> None:
        await self.sessions.forget_all()
        await self.service.left()
        await self.consumer.remove()

    async def _forget_record(self) -> None:
        """The stream was replaced by another: nothing that was read or begun before counts any more."""
        await self.delivery.abandon()
        await self.sessions.forget_all()
        if self.replacing:
            self.presence.replaces = 0

    # -- reacting

    async def _react(self, envelope: Envelope) -> None:
        told = {"session": envelope.session, "step": envelope.step, "service": self.service.name}
        with structlog.contextvars.bound_contextvars(**told), self.bus.telemetry.handling(envelope):
            session = await self.sessions.at(envelope)
            if session is None:
                return
            for answer in await self.service.answer(session, envelope):
                outcome = await self._publish(session.id, answer, message_id(envelope_address(envelope)))
                await self.service.published(session, answer, outcome is not PublishOutcome.LOST)
            ended = isinstance(envelope.body, SessionEnded)
            await self.sessions.store(session, ended=ended)
            if ended:
                await self.sessions.forget(session.id)
            elif isinstance(envelope.body, SessionStarted) and envelope.body.resumed:
                await self._react_again(session.id, envelope.step)

    async def _hear(self, envelope: Envelope) -> None:
        await self.service.hear(self.sessions.find(envelope.session), envelope)

    async def _mishear(self, subject: str, data: bytes, error: Undecodable) -> None:
        """A message that this service should hear is invalid: one dead letter is kept for each fault."""
        address = address_of(subject)
        if address is None or self.consumer.scope not in ("*", address.session):
            return
        await self.service.mishear(self.sessions.find(address.session), address)
        fault = (address.session, address.service, str(error).partition(" is ")[2])
        if fault in self._faults or self.shadow is not None:
            return
        self._faults = (*self._faults[-FAULTS:], fault)
        self.delivery.work(self._keep_invalid(subject, data, str(error)))

    async def _keep_invalid(self, subject: str, data: bytes, error: str) -> None:
        """Keep a dead letter of a message that may be heard before the stream stores it (or refuses it)."""
        for _ in range(STORED_LOOKS):
            try:
                raw = await self.bus.reader.raw(subject)
                if raw is not None and raw.data == data:
                    await self.bus.writer.dead_letter(subject, raw.seq or 0, data, error, tries=1)
                    return
            except (APIError, BusUnreachable, NotAllowed, *TRANSIENT_FAULTS) as fault:
                log.warning("bus_fault", subject=subject, error=reason_of(fault))
            await asyncio.sleep(LOOK)
        log.warning("invalid_message_not_stored", subject=subject, error=error)

    async def _publish(self, session: str, message: Message, cause: str) -> PublishOutcome:
        if self.shadow is not None:
            return await self.shadow.publish(session, message, cause)
        if isinstance(message, SessionEnded):
            return await self.bus.writer.end(session, message, cause)
        return await self.bus.writer.publish(session, message, cause)

    async def _react_again(self, session: str, step: int) -> None:
        """A session is resumed after a step: whatever message the chain had stopped at, it goes on."""
        if await self.bus.reader.read_at(session, Kind.STEP, step + 1) is not None:
            return
        read = [message for message in self.service.reads if message.kind in CHAIN]
        for message in sorted(read, key=lambda message: CHAIN.index(message.kind)):
            held = await self.bus.reader.read_at(session, message.kind, step)
            if held is None:
                continue
            now = held.model_copy(update={"time": self.bus.cell.now()})  # deadlines count from the resume
            if message in self.service.unordered:
                self.delivery.work(self.delivery.attempt(now))
            else:
                await self._react(now)

    async def _retry(self, wish: RetryDeadLetter, _: Session[S] | None) -> RetryAnswer:
        subject, payload = wish.subject, b""
        if address_of(subject) is not None and (held := await self.bus.reader.raw(subject)) is not None:
            payload = held.data or b""
        else:
            letter = await dead_letter_at(self.bus.cell, wish.sequence)
            if letter is None or letter.service != self.service.name:
                return RetryAnswer(
                    ok=False, error=f"The {self.service.name} service has no such dead letter."
                )
            subject, payload = letter.subject, letter.payload
        try:
            self.sessions.accept(subject)
            await self._react(decode(subject, payload))
        except Undecodable as error:
            return RetryAnswer(ok=False, error=str(error))
        return RetryAnswer(ok=True)
