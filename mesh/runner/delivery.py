"""What a runner does with a message of its inbox: order, redelivery, dead letters, acknowledgement."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog
from nats.aio.msg import Msg

from mesh.metrics import IN_HAND, REDELIVERED
from mesh.nats.codec import Undecodable, decode, place_named_by
from mesh.nats.reconnecting_client import OF_THE_BUS
from mesh.nats.subjects import address_of, subject_of
from mesh.record.archive import IMPORTED
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.runner.session_states import SessionStates
from mesh.settings import MeshSettings
from schemas.envelope import Envelope

AFTER_A_BUS_FAULT = 0.5
"""Seconds before what failed because of the bus is tried again."""

ACK_EVERY = 0.03
"""Seconds between two groups of acknowledgements."""

SLACK = 1.0
"""Seconds that a message's redelivery may take beyond its pause; until then nobody else asks for it."""

log = structlog.get_logger()


class Delivery:
    """The messages that an instance has in hand; each is handed to `react`, and acknowledged afterwards."""

    def __init__(
        self,
        service: Service[Any],
        bus: Bus,
        settings: MeshSettings,
        sessions: SessionStates[Any],
        react: Callable[[Envelope], Awaitable[None]],
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`tasks`: what is done here is part of it; a fault that is not caught here ends the service."""
        self.service, self.bus, self.settings, self.sessions = service, bus, settings, sessions
        self.handled = self.failed = 0
        self._react, self._tasks = react, tasks
        self._meter = bus.telemetry.meter
        self._unordered = {message.kind for message in service.unordered}
        self._waiting: dict[str, deque[Msg]] = {}
        self._in_hand: dict[int, Msg] = {}
        self._working: set[asyncio.Task[object]] = set()
        self._handled: list[Msg] = []
        self._put_off: set[int] = set()
        self._some_handled = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def counts(self) -> dict[str, int]:
        """What was done so far, and how many messages are in hand."""
        return {"handled": self.handled, "failed": self.failed, "lag": len(self._in_hand)}

    def held(self) -> set[int]:
        """The sequence numbers of what is in hand, not acknowledged yet, or to be tried again soon."""
        return {*self._in_hand, *map(_sequence, self._handled), *self._put_off}

    async def deliver(self, message: Msg) -> None:
        """Take a message in hand: in order within its session, beside all other sessions."""
        if _sequence(message) in self._in_hand:
            return  # the first copy is worked on, and its acknowledgement is for both
        self._in_hand[_sequence(message)] = message
        self._meter.of(IN_HAND).inc()
        self._idle.clear()
        place = address_of(message.subject)
        if place is not None and place.kind in self._unordered:
            self.work(self._handle(message))
            return
        session = message.subject.split(".")[2]
        queue = self._waiting.get(session)
        if queue is None:
            self._waiting[session] = deque([message])
            self.work(self._work_through(session))
        else:
            queue.append(message)

    def work(self, handling: Coroutine[Any, Any, object]) -> None:
        """Do something beside the messages in order; a drain that takes too long ends it."""
        task = self._tasks.create_task(handling)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def attempt(self, envelope: Envelope, tries: int = 1) -> Exception | None:
        """React to a message; the fault, if it failed. A fault of the bus is none: it is waited out."""
        told = {"subject": subject_of(place_named_by(envelope)), "service": self.service.name}
        while True:
            try:
                await self._react(envelope)
                return None
            except OF_THE_BUS as error:
                log.warning("bus_fault", **told, error=str(error))
            except Exception as error:  # the one broad handler: a message's fault must not end the service
                log.exception("message_failed", **told, tries=tries)
                return error
            await self.sessions.forget(envelope.session)
            await asyncio.sleep(AFTER_A_BUS_FAULT)
            await self.bus.cell.events.there.wait()

    async def keep_in_hand(self) -> None:
        """Tell the server, again and again, that what is in hand is being worked on."""
        while True:
            await asyncio.sleep(min(self.settings.heartbeat, self.settings.ack_wait / 3))
            for message in list(self._in_hand.values()) if self.bus.cell.nc.is_connected else ():
                await message.in_progress()

    async def ack_in_groups(self) -> None:
        """One write to the server for many acknowledgements: what a crash makes it repeat is harmless."""
        while True:
            await self._some_handled.wait()
            await asyncio.sleep(ACK_EVERY)
            await self.ack()

    async def ack(self) -> None:
        """Acknowledge what has been handled."""
        self._some_handled.clear()
        handled, self._handled = self._handled, []
        for message in handled:
            if not message.is_acked:
                await message.ack()

    async def drain(self) -> None:
        """Finish what is in hand, within the time there is for it; hand the rest back."""
        try:
            async with asyncio.timeout(self.settings.drain if self.bus.cell.nc.is_connected else 0):
                await self._idle.wait()
        except TimeoutError:
            log.warning("drain_cut_short", service=self.service.name, in_hand=len(self._in_hand))
            for message in self._in_hand.values():
                await message.nak()
            for task in self._working:
                task.cancel()
        await self.ack()

    async def _work_through(self, session: str) -> None:
        queue = self._waiting[session]
        try:
            while queue:
                await self._handle(queue.popleft())
        finally:
            del self._waiting[session]

    async def _handle(self, message: Msg) -> None:
        tries = message.metadata.num_delivered or 1
        if tries > 1:
            self._meter.of(REDELIVERED, message.subject.split(".")[3]).inc()
        try:
            if tries > len(self.settings.retry_delays) + 1 + self.bus.cell.events.outages:
                self.sessions.skip(message.subject)
                await self._give_up(message, "it ended this service each time", tries - 1)
            elif IMPORTED not in (message.headers or {}):
                error = await self.attempt(decode(message.subject, message.data), tries)
                if error is not None:
                    await self._try_again(message, error, tries)
                    return
            self._handled.append(message)
            self._some_handled.set()
            self.handled += 1
        except Undecodable as error:
            await self._give_up(message, str(error), tries)
        finally:
            self._in_hand.pop(_sequence(message), None)
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
            self._put_off.add(_sequence(message))
            asyncio.get_running_loop().call_later(
                delays[tries - 1] + SLACK, self._put_off.discard, _sequence(message)
            )
            await message.nak(delay=delays[tries - 1])

    async def _give_up(self, message: Msg, error: str, tries: int) -> None:
        try:
            await self.bus.writer.dead_letter(message.subject, _sequence(message), message.data, error, tries)
        except OF_THE_BUS as fault:
            log.warning("bus_fault", subject=message.subject, service=self.service.name, error=str(fault))
            await message.nak(delay=AFTER_A_BUS_FAULT)
        else:
            await message.term()


def _sequence(message: Msg) -> int:
    sequence: int = message.metadata.sequence.stream
    return sequence
