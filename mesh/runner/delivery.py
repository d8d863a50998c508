"""Delivers the messages of an inbox to a service: order, redelivery, dead letters, acknowledgement."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog
from nats.aio.msg import Msg

from mesh.metrics import IN_HAND, REDELIVERED
from mesh.nats.codec import Undecodable, decode, envelope_address
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.nats.subjects import address_of, subject_of
from mesh.record.archive import IMPORTED
from mesh.record.bus import Bus
from mesh.runner.acknowledgements import Acknowledgements, sequence_of
from mesh.runner.service import Service
from mesh.runner.session_states import SessionStates
from mesh.settings import MeshSettings
from schemas.envelope import Envelope

BUS_FAULT_PAUSE = 0.5
"""Seconds before a message that failed because of the bus is tried again."""

ALONE_FOR = 1.0
"""Seconds for which no other redelivered message is handled beside one."""

log = structlog.get_logger()


class Delivery:
    """The messages that an instance has in hand; each is passed to `react`, and acknowledged afterwards."""

    def __init__(
        self,
        service: Service[Any],
        bus: Bus,
        settings: MeshSettings,
        sessions: SessionStates[Any],
        react: Callable[[Envelope], Awaitable[None]],
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`tasks` owns the work on messages; an exception that is not caught here ends the service."""
        self.service, self.bus, self.settings, self.sessions = service, bus, settings, sessions
        self.handled = self.failed = 0
        self.acknowledgements = Acknowledgements(bus.cell)
        self._react, self._tasks = react, tasks
        self._meter = bus.telemetry.meter
        self._unordered = {message.kind for message in service.unordered}
        self._waiting: dict[str, deque[Msg]] = {}
        self._in_hand: dict[int, Msg] = {}
        self._working: set[asyncio.Task[object]] = set()
        self._redelivered = asyncio.Lock()
        self._dropped_killer = False
        self._idle = asyncio.Event()
        self._idle.set()

    def counts(self) -> dict[str, int]:
        """The numbers of messages handled, failed, and in hand."""
        return {"handled": self.handled, "failed": self.failed, "lag": len(self._in_hand)}

    async def deliver(self, message: Msg) -> None:
        """Handle a message: in order within its session, concurrently with other sessions."""
        if sequence_of(message) in self._in_hand:
            return  # the first copy is being handled; its acknowledgement counts for both
        if self.acknowledgements.is_copy(message):
            self.acknowledgements.add(message)
            return
        self._in_hand[sequence_of(message)] = message
        self._meter.of(IN_HAND).inc()
        self._idle.clear()
        address = address_of(message.subject)
        if address is not None and address.kind in self._unordered:
            self.work(self._take(message))
            return
        session = message.subject.split(".")[2]
        queue = self._waiting.get(session)
        if queue is None:
            self._waiting[session] = deque([message])
            self.work(self._work_through(session))
        else:
            queue.append(message)

    def work(self, handling: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Start a task beside the ordered messages; a drain that takes too long cancels it."""
        task = self._tasks.create_task(handling)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return task

    async def attempt(self, envelope: Envelope, tries: int = 1) -> Exception | None:
        """React to a message; return the error if it failed. After a fault of the bus it tries again."""
        fields = {"subject": subject_of(envelope_address(envelope)), "service": self.service.name}
        while True:
            try:
                await self._react(envelope)
                return None
            except TRANSIENT_FAULTS as error:
                log.warning("bus_fault", **fields, error=str(error))
            except Exception as error:  # the one broad handler: a message's fault must not end the service
                log.exception("message_failed", **fields, tries=tries)
                return error
            await self.sessions.forget(envelope.session)
            await asyncio.sleep(BUS_FAULT_PAUSE)
            await self.bus.cell.events.there.wait()

    async def keep_in_hand(self) -> None:
        """Tell the server regularly that the messages in hand are in progress."""
        while True:
            await asyncio.sleep(min(self.settings.heartbeat, self.settings.ack_wait / 3))
            for message in list(self._in_hand.values()) if self.bus.cell.nc.is_connected else ():
                await message.in_progress()

    async def drain(self) -> None:
        """Finish the messages in hand within the time limit; return the rest to the server."""
        try:
            async with asyncio.timeout(self.settings.drain if self.bus.cell.nc.is_connected else 0):
                await self._idle.wait()
        except TimeoutError:
            log.warning("drain_cut_short", service=self.service.name, in_hand=len(self._in_hand))
            for message in self._in_hand.values():
                await message.nak()
            for task in self._working:
                task.cancel()
        await self.acknowledgements.send()

    async def _work_through(self, session: str) -> None:
        queue = self._waiting[session]
        try:
            while queue:
                await self._take(queue.popleft())
        finally:
            del self._waiting[session]

    async def _take(self, message: Msg) -> None:
        """Handle a message; a redelivered one alone and acknowledged at once: it may end the service.

        So the message that ends the service is the first redelivered one that is not acknowledged.
        """
        tries = message.metadata.num_delivered or 1
        if tries == 1:
            await self._handle(message, tries)
            return
        self._meter.of(REDELIVERED, message.subject.split(".")[3]).inc()
        async with self._redelivered:
            handling = self.work(self._handle(message, tries))
            await asyncio.wait((handling,), timeout=ALONE_FOR)
            await self.acknowledgements.send_at_once()
        await handling

    async def _handle(self, message: Msg, tries: int) -> None:
        try:
            if self._is_killer(tries):
                self.sessions.skip(message.subject)
                await self._give_up(message, "it ended this service each time", tries - 1)
            elif IMPORTED not in (message.headers or {}):
                error = await self.attempt(decode(message.subject, message.data), tries)
                if error is not None:
                    await self._try_again(message, error, tries)
                    return
            self.acknowledgements.add(message)
            self.handled += 1
        except Undecodable as error:
            await self._give_up(message, str(error), tries)
        finally:
            self._in_hand.pop(sequence_of(message), None)
            self._meter.of(IN_HAND).dec()
            if not self._in_hand:
                self._idle.set()

    async def _try_again(self, message: Msg, error: Exception, tries: int) -> None:
        self.failed += 1
        delays = self.settings.retry_delays
        await self.sessions.forget(message.subject.split(".")[2])
        if tries > len(delays):
            self.sessions.skip(message.subject)
            await self._give_up(message, f"{type(error).__name__}: {error}", tries)
        else:
            await message.nak(delay=delays[tries - 1])

    def _is_killer(self, tries: int) -> bool:
        """Whether a message ended its service at each delivery; one is blamed, because the others waited."""
        limit = len(self.settings.retry_delays) + 1 + self.bus.cell.events.outages
        if tries <= limit or self._dropped_killer:
            return False
        self._dropped_killer = True
        return True

    async def _give_up(self, message: Msg, error: str, tries: int) -> None:
        try:
            await self.bus.writer.dead_letter(
                message.subject, sequence_of(message), message.data, error, tries
            )
        except TRANSIENT_FAULTS as fault:
            log.warning("bus_fault", subject=message.subject, service=self.service.name, error=str(fault))
            await message.nak(delay=BUS_FAULT_PAUSE)
        else:
            await message.term()
