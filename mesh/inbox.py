"""The durable consumer of a service: at least once, in stream order, shared by its instances.

One pull request for many messages is kept open at the server, with idle heartbeats: a service that hears
nothing knows at once that its consumer is gone or its request was lost (nats-py's own `fetch` asks for each
message anew and stalls now and then; see docs/decisions).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, OutboundBufferLimitError
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy, StatusCode
from nats.js.errors import APIError, NotFoundError

from mesh.bus import Bus
from mesh.connection import reason_of
from mesh.errors import BusUnreachable, NotAllowed
from mesh.settings import MeshSettings
from mesh.steady import CLOSED, OF_THE_BUS
from mesh.stream import PROVISION
from mesh.subjects import STREAM, durable_name, wildcard
from schemas.base import Kind, Message

BATCH = 256
"""Messages that one pull request asks for."""

EXPIRES = 30.0
HEARTBEAT = 0.5
"""Seconds that a pull request stays open, and between the server's signs of life meanwhile."""

SILENCE = 3 * HEARTBEAT
"""Seconds without a sign of life after which the request (or the consumer) is taken for lost."""

SIGNS_OF_LIFE = (StatusCode.CONTROL_MESSAGE, StatusCode.NO_MESSAGES, StatusCode.REQUEST_TIMEOUT)
"""What the server says of a consumer that is there."""

PAUSE = 0.05
"""Seconds after a request that the server ended, before the next."""

LEAVES_WITHIN = 3.0
"""Seconds that the removal of a consumer may take."""

FORGOTTEN_AFTER = 600.0
"""Seconds after which the server removes a consumer of one instance's own that nobody reads."""

NANOSECONDS = 1_000_000_000

log = structlog.get_logger()


@dataclass(slots=True)
class Inbox:
    """What a service reads from the record: some kinds of message, of all sessions or of one.

    `alone`: no other instance shares this reading (a shadow's); it ends with the instance. It outlasts the
    server, its consumer and the stream. A consumer that is made again begins with the first message that was
    not acknowledged; what had been handled comes twice then, which is harmless.
    """

    bus: Bus
    kinds: Sequence[Kind]
    scope: str
    settings: MeshSettings
    record_lost: Callable[[], Awaitable[None]] | None = None
    """Called when the stream is another than before: nothing that is held of any session holds any more."""
    alone: bool = False
    last_sign: float = field(default_factory=time.monotonic)
    """When the server was last heard of about this consumer, in monotonic seconds."""
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _left: int = 0
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _why: str = ""
    """Why the open request has ended before its time."""
    _reply: str = ""
    _stream: datetime | None = None
    """When the stream was made: what tells it from another of the same name."""
    _floor: int = 0
    """The last sequence number up to which everything has been acknowledged, as far as it is known here."""

    @property
    def durable(self) -> str:
        """The consumer's name: of the service, not of the instance."""
        shared = durable_name(self.bus.cell, self.bus.me.name, self.scope)
        return f"{shared}-{self.bus.me.instance}" if self.alone else shared

    @property
    def shared(self) -> bool:
        """Whether all instances of the service read from the one consumer, which outlives them."""
        return self.scope == "*" and not self.alone

    async def provision(self) -> None:
        """Make the durable consumer, which begins with what comes now.

        One of a whole cell that is there already goes on where it stood; one of a single session, which
        somebody left behind, is made anew: what came before is folded from the record.

        Raises:
            NotAllowed: it is missing or outdated, and it is not for us to mend that.
        """
        try:
            if self.shared:
                await self._provision_for_all()
            else:
                await self.remove()
                await self.bus.jsm.add_consumer(STREAM, self._config(DeliverPolicy.NEW))
        except NotAllowed as error:
            raise self._not_allowed() from error
        self._stream = (await self.bus.jsm.stream_info(STREAM)).created
        self._note(await self.bus.jsm.consumer_info(STREAM, self.durable))

    async def remove(self) -> None:
        """Remove a consumer of this instance's own; one of a whole cell stays for the next instance."""
        if not self.shared and self.bus.nc.is_connected:
            try:
                async with asyncio.timeout(LEAVES_WITHIN):
                    await self.bus.jsm.delete_consumer(STREAM, self.durable)
            except NotFoundError:
                return
            except (APIError, BusUnreachable, NotAllowed, TimeoutError):
                log.warning("consumer_left", durable=self.durable)

    async def settle(self) -> None:
        """Take what the server handed out before it heard what this instance has said so far."""
        if not self.bus.nc.is_connected:
            return
        try:
            async with asyncio.timeout(SILENCE):
                await self.bus.ready()
        except (NatsError, OSError) as error:
            log.warning("unsettled", durable=self.durable, error=reason_of(error))

    def stop(self) -> None:
        """Take no more messages."""
        self._stop.set()
        self._ended.set()

    @property
    def _stopping(self) -> bool:
        return self._stop.is_set()

    async def read(self, deliver: Callable[[Msg], Awaitable[None]]) -> None:
        """Hand over one message after the other until `stop`.

        Raises:
            BusUnreachable: the connection has been closed for good.
        """

        async def on_message(message: Msg) -> None:
            self.last_sign = time.monotonic()
            if status := (message.headers or {}).get("Status"):
                self._heard(status, message)
            elif self._stopping:
                await message.nak()
            else:
                self.last_sign = time.monotonic()
                self._left -= 1
                if self._left == 0:
                    self._ended.set()
                await deliver(message)

        inbox = self.bus.nc.new_inbox()
        answers = await self.bus.nc.subscribe(f"{inbox}.*", cb=on_message)
        for number in itertools.count():
            if not await self._server_there():
                break
            lost = self.bus.events.lost
            await self._request(f"{inbox}.{number}")
            await self._unless_stopped(self._look_after())
            await self._served(lost)
        if self.bus.nc.is_connected:
            await answers.drain()  # type: ignore[no-untyped-call]
        elif not self._stopping:
            raise BusUnreachable(CLOSED)

    async def _server_there(self) -> bool:
        """Wait for the server; False: there is nothing more to be read."""
        there = self.bus.events.there
        if not there.is_set() and not self._stopping:
            self._ended.clear()
            await _first_of(there.wait(), self._ended.wait())
        return not self._stopping and not self.bus.nc.is_closed

    async def _unless_stopped(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do something that may wait for the server without end, unless `stop` comes first."""
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
        """Ask for messages; each request has a reply subject of its own, so that none is mistaken."""
        self._left, self._why, self._reply = BATCH, "", reply
        self._ended.clear()
        wish = {
            "batch": BATCH,
            "expires": int(EXPIRES * NANOSECONDS),
            "idle_heartbeat": int(HEARTBEAT * NANOSECONDS),
        }
        try:
            subject = f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{self.durable}"
            await self.bus.nc.publish(subject, json.dumps(wish).encode(), reply=reply)
        except (ConnectionClosedError, OutboundBufferLimitError) as error:
            self._why = str(error)
            self._ended.set()
        if self._stopping:
            self._ended.set()

    async def _served(self, lost: asyncio.Future[None]) -> None:
        """Return when the open request has been used up, has ended, or is lost with its connection."""
        asked = time.monotonic()
        while not self._ended.is_set() and not lost.done():
            silent_for = time.monotonic() - max(asked, self.last_sign)
            if silent_for >= SILENCE:
                log.info("consumer_silent", durable=self.durable)
                return
            await _first_of(self._ended.wait(), asyncio.shield(lost), seconds=SILENCE - silent_for)
        if self._why and not self._stopping:
            log.info("request_ended", durable=self.durable, why=self._why)
            await asyncio.sleep(PAUSE)

    def _heard(self, status: str, message: Msg) -> None:
        """A word of the server about the open request; what it says of an older one is of no interest."""
        if message.subject != self._reply:
            return
        if status in SIGNS_OF_LIFE:
            self.last_sign = time.monotonic()
        if status == StatusCode.CONTROL_MESSAGE:
            return
        self._ended.set()
        if status not in (StatusCode.NO_MESSAGES, StatusCode.REQUEST_TIMEOUT):
            self._why = (message.headers or {}).get("Description") or status

    async def _look_after(self) -> None:
        """Learn how far the consumer is; make it (and the stream) again where it is gone."""
        try:
            self._note(await self.bus.jsm.consumer_info(STREAM, self.durable))
        except NotFoundError:
            await self._make_again()
        except (APIError, NotAllowed, *OF_THE_BUS) as error:
            log.warning("consumer_unknown", durable=self.durable, error=str(error))
            await asyncio.sleep(HEARTBEAT)

    async def _make_again(self) -> None:
        log.warning("consumer_lost", durable=self.durable)
        try:
            await self.bus.provision()
            self._note(await self.bus.jsm.add_consumer(STREAM, await self._config_again()))
            log.info("consumer_back", durable=self.durable, after=self._floor)
        except (APIError, BusUnreachable, NotAllowed, *OF_THE_BUS) as error:
            log.warning("consumer_not_back", durable=self.durable, error=str(error))
            await asyncio.sleep(HEARTBEAT)
        self._ended.set()  # the open request was one to a consumer that is no more

    async def _provision_for_all(self) -> None:
        there = await self._there()
        begins = (there.deliver_policy, there.opt_start_seq) if there else (DeliverPolicy.NEW, None)
        wanted = self._config(*begins)
        if there is None or _told(there) != _told(wanted):
            await self.bus.jsm.add_consumer(STREAM, wanted)

    async def _there(self) -> ConsumerConfig | None:
        """The consumer as it is: where it began cannot be changed."""
        try:
            config: ConsumerConfig = (await self.bus.jsm.consumer_info(STREAM, self.durable)).config
        except NotFoundError:
            return None
        return config

    def _not_allowed(self) -> NotAllowed:
        name, cell = self.bus.me.name, self.bus.cell
        serve = f"Run `lantern serve {name}` for the whole cell {cell}."
        mend = PROVISION if self.scope == "*" else serve
        return NotAllowed(
            self.bus.events.who, f"make the consumer {self.durable} as this version needs it", mend
        )

    async def _config_again(self) -> ConsumerConfig:
        """For a consumer that was lost: on from what was acknowledged; in another stream, everything."""
        made = (await self.bus.jsm.stream_info(STREAM)).created
        if made != self._stream:
            log.error("record_lost", told="The stream was deleted, and all sessions in it are gone.")
            if self.record_lost is not None:
                await self.record_lost()
            self._stream, self._floor = made, 0
        return self._config(DeliverPolicy.BY_START_SEQUENCE, self._floor + 1)

    def _note(self, info: ConsumerInfo) -> None:
        self.last_sign = time.monotonic()
        if info.ack_floor is not None:
            self._floor = max(self._floor, info.ack_floor.stream_seq)

    def _config(self, policy: DeliverPolicy | None, start: int | None = None) -> ConsumerConfig:
        return ConsumerConfig(
            opt_start_seq=start,
            durable_name=self.durable,
            deliver_policy=policy,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.settings.ack_wait,
            max_deliver=-1,
            max_ack_pending=1000,
            mem_storage=not self.shared,
            filter_subjects=[wildcard(self.bus.cell, self.scope, kind) for kind in self.kinds],
            inactive_threshold=None if self.shared else FORGOTTEN_AFTER,
        )


async def _first_of(*events: Awaitable[object], seconds: float | None = None) -> None:
    """Wait until one of them has come, or for so many seconds."""
    waiting = [asyncio.ensure_future(event) for event in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in waiting:
            event.cancel()


def kinds_for(reads: Iterable[type[Message]]) -> list[Kind]:
    """What the consumer of a service that reads these messages brings: a session's start and end too."""
    return [Kind.STARTED, Kind.ENDED, *(message.kind for message in reads)]


def _told(config: ConsumerConfig) -> tuple[object, ...]:
    """What makes a consumer fit or unfit for us."""
    return {*(config.filter_subjects or ())}, config.ack_wait, config.max_ack_pending, config.max_deliver
