"""Delivers the messages of an inbox to a service: order, redelivery, dead letters, acknowledgement."""

from __future__ import annotations

import asyncio
import time
from bisect import insort
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from typing import Any

import structlog
from nats.aio.msg import Msg

from mesh.errors import BusFull
from mesh.metrics import IN_HAND, REDELIVERED
from mesh.nats.codec import Undecodable, decode, envelope_address
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.nats.subjects import address_of, session_in, subject_of
from mesh.record.archive import IMPORTED
from mesh.record.bus import Bus
from mesh.runner.consumer import Consumer
from mesh.runner.deliveries.acknowledgements import Acknowledgements, sequence_of
from mesh.runner.deliveries.last_tries import LastTries
from mesh.runner.service import Service
from mesh.runner.states.session_states import SessionStates
from mesh.runner.succession import Succession
from mesh.settings import MeshSettings
from mesh.waiting import at_most
from schemas.envelope import Envelope
from schemas.mesh import ServiceAlive

BUS_FAULT_PAUSE = 0.5
"""Seconds before a message that failed because of the bus is tried again."""

LOOK = 0.1
"""Seconds between two looks at what is waited for: the end of a drain, an earlier message."""

PATIENCE = 10
"""For how many times `ack_wait` the last try of a message waits for earlier messages of its session."""

ALONE_FOR = 1.0
"""Seconds for which no other redelivered message is handled beside one; at its last try there is no limit."""

IN_VAIN = 3
"""A message that is delivered so many times more than it may be tried is held to end the service."""

log = structlog.get_logger()


class Delivery:
    """The messages that an instance has in hand; each is passed to `react`, and acknowledged afterwards."""

    def __init__(
        self,
        service: Service[Any],
        bus: Bus,
        settings: MeshSettings,
        consumer: Consumer,
        sessions: SessionStates[Any],
        react: Callable[[Envelope], Awaitable[None]],
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`tasks` owns the work on messages; an exception that is not caught here ends the service."""
        self.service, self.bus, self.settings, self.sessions = service, bus, settings, sessions
        self.consumer = consumer
        self.handled = self.failed = 0
        self.acknowledgements = Acknowledgements(bus.cell)
        self._react, self._tasks = react, tasks
        self._meter = bus.telemetry.meter
        self._unordered = {message.kind for message in service.unordered}
        self._waiting: dict[str, list[Msg]] = {}
        """The messages to handle of each session, the earliest first."""
        self._in_hand: dict[int, Msg] = {}
        self._deferred: dict[int, Msg] = {}
        self._last = 0
        self._without_room = ""
        """The subject of the message that failed last because the server has no room."""
        self.succession: Succession | None = None
        """Tells which messages another instance handles in place of this one. None: none."""
        self._working: set[asyncio.Task[object]] = set()
        self._redelivered = asyncio.Lock()
        self._last_tries = LastTries(settings.home / "last tries" / consumer.durable)
        self._idle = asyncio.Event()
        self._idle.set()

    def counts(self) -> dict[str, int]:
        """The numbers of messages handled, failed, and in hand, and up to which one all are handled."""
        floor = min(self._in_hand) - 1 if self._in_hand else self._last
        return {"handled": self.handled, "failed": self.failed, "lag": len(self._in_hand), "floor": floor}

    async def deliver(self, message: Msg) -> None:
        """Handle a message: in order within its session, concurrently with other sessions."""
        if sequence_of(message) in self._in_hand:
            return  # the first copy is being handled; its acknowledgement counts for both
        if self.acknowledgements.is_copy(message):
            self.acknowledgements.add(message)
            return
        self._in_hand[sequence_of(message)] = message
        self._last = max(self._last, sequence_of(message))
        self._meter.of(IN_HAND).inc()
        self._idle.clear()
        if self._is_unordered(message):
            self.work(self._take_unordered(message))
        else:
            self._wait_its_turn(message)

    def work(self, handling: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Start a task beside the ordered messages; a drain that takes too long cancels it."""
        try:
            task = self._tasks.create_task(handling)
        except RuntimeError:  # the service has failed, and its tasks are being cancelled
            handling.close()
            raise
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
                self._log_fault(error, **fields)
            except Exception as error:  # the one broad handler: a message's fault must not end the service
                log.exception("message_failed", **fields, tries=tries)
                return error
            await self.sessions.forget(envelope.session)
            await asyncio.sleep(BUS_FAULT_PAUSE)
            await self.bus.cell.events.there.wait()

    def acknowledge_deferred(self, successor: ServiceAlive) -> None:
        """Acknowledge the deferred messages that the instance which replaces this one has handled."""
        for sequence, message in list(self._deferred.items()):
            if sequence <= successor.floor and successor.scope in ("*", session_in(message.subject)):
                self._let_go(message)
                self.acknowledgements.add(message)

    def take_back(self) -> None:
        """Handle the deferred messages that nobody else will handle any more."""
        for sequence, message in sorted(self._deferred.items()):
            if self._successor_of(message) is not None:
                continue
            if self._is_unordered(message):
                del self._deferred[sequence]
                self.work(self._take_unordered(message))
            else:
                self._queue_of(session_in(message.subject))

    async def keep_in_hand(self) -> None:
        """Tell the server, well within `ack_wait`, that the messages in hand are in progress."""
        while True:
            await asyncio.sleep(min(self.settings.heartbeat, self.consumer.ack_wait / 3))
            for message in list(self._in_hand.values()) if self.bus.cell.nc.is_connected else ():
                await message.in_progress()

    async def abandon(self) -> None:
        """Drop the messages in hand, unacknowledged: their stream is gone, and others bear their numbers."""
        working = tuple(self._working)
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        for message in list(self._in_hand.values()):
            self._let_go(message)
        self._waiting.clear()
        self._last = 0
        self.acknowledgements.abandon()

    async def drain(self) -> None:
        """Finish what is in hand, and other work, within the time limit; return the rest to the server."""
        for message in list(self._deferred.values()):
            self._let_go(message)
            await message.nak()
        is_taking = self.bus.cell.nc.is_connected and self.bus.cell.events.full is None
        clock = asyncio.get_running_loop().time
        until = clock() + (self.settings.drain if is_taking else 0)
        try:
            async with asyncio.timeout_at(until):
                while not self._is_finished():
                    await at_most(LOOK, self._idle.wait())
        except TimeoutError:
            log.warning("drain_cut_short", service=self.service.name, in_hand=len(self._in_hand))
        for message in self._in_hand.values():
            await message.nak()
        if self._working and not self._in_hand:  # it belongs to no message, and may wait without end
            await asyncio.wait(self._working, timeout=max(0.0, until - clock()))
        for task in self._working:
            task.cancel()
        await self.acknowledgements.send()

    def _is_finished(self) -> bool:
        """Whether nothing is in hand, except what waits until a person lets it go on."""
        return all(self.service.is_held(session_in(message.subject)) for message in self._in_hand.values())

    def _is_unordered(self, message: Msg) -> bool:
        address = address_of(message.subject)
        return address is not None and address.kind in self._unordered

    def _wait_its_turn(self, message: Msg) -> None:
        insort(self._queue_of(session_in(message.subject)), message, key=sequence_of)

    def _queue_of(self, session: str) -> list[Msg]:
        """The waiting messages of a session, which a task of its own works through."""
        if session not in self._waiting:
            self._waiting[session] = []
            self.work(self._work_through(session))
        return self._waiting[session]

    async def _work_through(self, session: str) -> None:
        try:
            while (message := self._next(session)) is not None:
                if await self._comes_first(message):
                    await self._take(message)
                else:
                    self._wait_its_turn(message)
        finally:
            del self._waiting[session]

    async def _take_unordered(self, message: Msg) -> None:
        await self._comes_first(message)
        await self._take(message)

    async def _comes_first(self, message: Msg) -> bool:
        """Wait until a message's last try is due; False: an earlier message of its queue has come meanwhile.

        A step whose folding fails or ends the service does so again at each later message of the session,
        which must not be given up in its place, and the server may deliver those first. So wait until the
        server shows that it has no earlier message to redeliver; it may not be able to show that while
        another instance has messages in hand.
        """
        sequence, queue = sequence_of(message), self._waiting.get(session_in(message.subject))
        until = time.monotonic() + PATIENCE * self.consumer.ack_wait
        while self._is_last_try(message) and time.monotonic() < until:
            if queue and sequence_of(queue[0]) < sequence and not self._is_unordered(message):
                return False
            if await self.consumer.lacks_none_before(sequence, in_hand=len(self._in_hand)):
                break
            await asyncio.sleep(LOOK)
        return True

    def _next(self, session: str) -> Msg | None:
        """The session's earliest message to handle: one given back by another instance is before the new."""
        for sequence, message in sorted(self._deferred.items()):
            ours = session_in(message.subject) == session and not self._is_unordered(message)
            if ours and self._successor_of(message) is None:
                return self._deferred.pop(sequence)
        queue = self._waiting[session]
        return queue.pop(0) if queue else None

    async def _take(self, message: Msg) -> None:
        """Handle a message; a redelivered one alone and acknowledged at once: it may end the service.

        A slow message may have another beside it, but not at its last try: it must not be blamed for that.
        """
        if self._successor_of(message) is not None:
            self._deferred[sequence_of(message)] = message
            await self.sessions.forget(session_in(message.subject))
            return
        if _tries(message) == 1:
            await self._handle(message)
            return
        self._meter.of(REDELIVERED, message.subject.split(".")[3]).inc()
        async with self._redelivered:
            handling = self.work(self._handle(message))
            await asyncio.wait((handling,), timeout=None if self._is_last_try(message) else ALONE_FOR)
            await self.acknowledgements.send_at_once()
        await handling

    async def _handle(self, message: Msg) -> None:
        tries = _tries(message)
        try:
            if self._ends_service(message):
                self.sessions.skip(message.subject)
                await self._give_up(message, "it ended this service each time", tries - 1)
            elif IMPORTED not in (message.headers or {}):
                noted = self._last_tries.noted(message) if self._is_last_try(message) else nullcontext()
                with noted:
                    error = await self.attempt(decode(message.subject, message.data), tries)
                if error is not None:
                    await self._try_again(message, error, tries)
                    return
            self.acknowledgements.add(message)
            self.handled += 1
        except Undecodable as error:
            await self._give_up(message, str(error), tries)
        finally:
            self._let_go(message)

    def _successor_of(self, message: Msg) -> ServiceAlive | None:
        if self.succession is None:
            return None
        return self.succession.successor(session_in(message.subject), sequence_of(message))

    def _let_go(self, message: Msg) -> None:
        """The message is no longer in hand."""
        self._deferred.pop(sequence_of(message), None)
        if self._in_hand.pop(sequence_of(message), None) is not None:
            self._meter.of(IN_HAND).dec()
        if not self._in_hand:
            self._idle.set()

    async def _try_again(self, message: Msg, error: Exception, tries: int) -> None:
        self.failed += 1
        delays = self.settings.retry_delays
        await self.sessions.forget(session_in(message.subject))
        if tries > len(delays):
            self.sessions.skip(message.subject)
            await self._give_up(message, f"{type(error).__name__}: {error}", tries)
        else:
            await message.nak(delay=delays[tries - 1])

    @property
    def _last_try(self) -> int:
        return len(self.settings.retry_delays) + 1 + self.bus.cell.events.outages

    def _is_last_try(self, message: Msg) -> bool:
        """Whether the message is given up if it fails now; also one that was delivered more often in vain."""
        return 1 < _tries(message) >= self._last_try

    def _ends_service(self, message: Msg) -> bool:
        """Whether a message ended the service at its last try; where no file can tell: at a few more."""
        if _tries(message) > 1 and self._last_tries.did_not_end(message):
            self._last_tries.forget(message)
            return True
        return _tries(message) > self._last_try + IN_VAIN

    async def _give_up(self, message: Msg, error: str, tries: int) -> None:
        try:
            await self.bus.writer.dead_letter(
                message.subject, sequence_of(message), message.data, error, tries
            )
        except TRANSIENT_FAULTS as fault:
            self._log_fault(fault, subject=message.subject, service=self.service.name)
            await message.nak(delay=BUS_FAULT_PAUSE)
        else:
            await message.term()

    def _log_fault(self, error: Exception, **fields: str) -> None:
        """A server without room is logged once for each message, not at each attempt."""
        again = isinstance(error, BusFull) and fields["subject"] == self._without_room
        self._without_room = fields["subject"] if isinstance(error, BusFull) else ""
        if not again:
            log.warning("bus_fault", **fields, error=str(error))


def _tries(message: Msg) -> int:
    """How often the message was delivered, this time included."""
    tries: int = message.metadata.num_delivered or 1
    return tries
