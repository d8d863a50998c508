"""Reads a service's durable consumer: at least once, in stream order, shared by its instances.

One pull request for many messages stays open at the server, with idle heartbeats: silence shows at once that
the consumer was deleted or the request was lost (nats-py's own `fetch` requests each message separately and
stalls now and then; see docs/decisions/0003-one-long-pull-request.md).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError, OutboundBufferLimitError
from nats.errors import Error as NatsError
from nats.js.api import StatusCode

from mesh.errors import BusUnreachable
from mesh.nats.connection import reason_of
from mesh.nats.reconnecting_client import CLOSED
from mesh.nats.subjects import STREAM
from mesh.runner.consumer import Consumer

BATCH = 256
"""Messages that one pull request asks for."""

EXPIRES = 30.0
HEARTBEAT = 0.5
"""Seconds that a pull request stays open, and between the server's signs of life meanwhile."""

SILENCE = 3 * HEARTBEAT
"""Seconds without a sign of life after which the request (or the consumer) counts as lost."""

SIGNS_OF_LIFE = (StatusCode.CONTROL_MESSAGE, StatusCode.NO_MESSAGES, StatusCode.REQUEST_TIMEOUT)
"""The statuses of a consumer that exists; any other status is a fault."""

PAUSE = 0.05
"""Seconds between a request that the server ended and the next."""

NANOSECONDS = 1_000_000_000

log = structlog.get_logger()


class Inbox:
    """Delivers a consumer's messages, also after an outage or the loss of the consumer or the stream."""

    def __init__(self, consumer: Consumer) -> None:
        self.cell, self.consumer = consumer.cell, consumer
        self._stop, self._ended = asyncio.Event(), asyncio.Event()
        self._left = 0
        self._end_reason = ""
        """Why the server ended the open request early."""
        self._reply = ""

    async def settle(self) -> None:
        """Wait for the messages that the server sent before it processed this instance's last commands."""
        if not self.cell.nc.is_connected:
            return
        try:
            async with asyncio.timeout(SILENCE):
                await self.cell.ready()
        except (BusUnreachable, NatsError, OSError) as error:
            self._log_unsettled(error)

    def _log_unsettled(self, error: Exception) -> None:
        log.warning("unsettled", durable=self.consumer.durable, error=reason_of(error))

    def stop(self) -> None:
        """Take no more messages."""
        self._stop.set()
        self._ended.set()

    @property
    def _stopping(self) -> bool:
        return self._stop.is_set()

    async def read(self, deliver: Callable[[Msg], Awaitable[None]]) -> None:
        """Deliver one message after the other until `stop`.

        Raises:
            BusUnreachable: the connection has been closed for good.
        """

        async def on_message(message: Msg) -> None:
            if status := (message.headers or {}).get("Status"):
                self._on_status(status, message)
            elif self._stopping:
                await message.nak()
            else:
                self.consumer.note_sign()
                self._left -= 1
                if self._left == 0:
                    self._ended.set()
                await deliver(message)

        inbox = self.cell.nc.new_inbox()
        answers = await self.cell.nc.subscribe(f"{inbox}.*", cb=on_message)
        for number in itertools.count():
            if not await self._server_there():
                break
            lost = self.cell.events.lost
            if number > 0:  # at first the consumer has just been provisioned
                await self._unless_stopped(self.consumer.look_after())
            await self._request(f"{inbox}.{number}")
            await self._served(lost)
        await self._leave(answers)

    async def _leave(self, answers: Subscription) -> None:
        if not self._stopping:
            raise BusUnreachable(CLOSED)
        try:
            if self.cell.nc.is_connected:
                await answers.drain()  # type: ignore[no-untyped-call]
        except NatsError as error:
            self._log_unsettled(error)

    async def _server_there(self) -> bool:
        """Wait until the server is connected; False: stop reading."""
        there = self.cell.events.there
        if not there.is_set() and not self._stopping:
            self._ended.clear()
            await _first_of(there.wait(), self._ended.wait())
        return not self._stopping and not self.cell.nc.is_closed

    async def _unless_stopped(self, doing: Coroutine[Any, Any, None]) -> None:
        """Await something that may wait for the server without end; `stop` cancels it."""
        task, stopping = asyncio.ensure_future(doing), asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait((task, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled():
            task.result()

    async def _request(self, reply: str) -> None:
        """Request messages; each request has a reply subject of its own, which identifies its answers."""
        self._left, self._end_reason, self._reply = BATCH, "", reply
        self._ended.clear()
        request = {
            "batch": BATCH,
            "expires": int(EXPIRES * NANOSECONDS),
            "idle_heartbeat": int(HEARTBEAT * NANOSECONDS),
        }
        try:
            subject = f"{self.cell.api}.CONSUMER.MSG.NEXT.{STREAM}.{self.consumer.durable}"
            await self.cell.nc.publish(subject, json.dumps(request).encode(), reply=reply)
        except (ConnectionClosedError, OutboundBufferLimitError) as error:
            self._end_reason = str(error)
            self._ended.set()
        if self._stopping:
            self._ended.set()

    async def _served(self, lost: asyncio.Future[None]) -> None:
        """Return when the open request is used up, has ended, or is lost with its connection."""
        asked = time.monotonic()
        while not self._ended.is_set() and not lost.done():
            silent_for = time.monotonic() - max(asked, self.consumer.last_sign)
            if silent_for >= SILENCE:
                log.info("consumer_silent", durable=self.consumer.durable)
                return
            await _first_of(self._ended.wait(), asyncio.shield(lost), seconds=SILENCE - silent_for)
        if self._end_reason and not self._stopping:
            log.info("request_ended", durable=self.consumer.durable, why=self._end_reason)
            await asyncio.sleep(PAUSE)

    def _on_status(self, status: str, message: Msg) -> None:
        """Take in a status of the open request; those of older requests are ignored."""
        if message.subject != self._reply:
            return
        if status in SIGNS_OF_LIFE:
            self.consumer.note_sign()
        else:
            description: str = (message.headers or {}).get("Description", "")
            self._end_reason = description.partition("\n")[0] or status
        if status != StatusCode.CONTROL_MESSAGE:
            self._ended.set()


async def _first_of(*events: Awaitable[object], seconds: float | None = None) -> None:
    """Wait until one of them has come, or for so many seconds."""
    waiting = [asyncio.ensure_future(event) for event in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in waiting:
            event.cancel()
