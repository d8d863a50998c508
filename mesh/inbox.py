"""The durable consumer of a service: at least once, in stream order, shared by its instances.

One pull request for many messages is kept open at the server, with idle heartbeats: a service that hears
nothing knows at once that its consumer is gone or its request was lost (nats-py's own `fetch` asks for each
message anew and stalls now and then; see docs/decisions).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, StatusCode
from nats.js.errors import APIError, NotFoundError

from mesh.bus import Bus
from mesh.connection import reason_of
from mesh.errors import BusUnreachable
from mesh.settings import MeshSettings
from mesh.subjects import STREAM, durable_name, wildcard
from schemas.base import Kind

BATCH = 256
"""Messages that one pull request asks for."""

EXPIRES = 30.0
HEARTBEAT = 0.5
"""Seconds that a pull request stays open, and between the server's signs of life meanwhile."""

SILENCE = 3 * HEARTBEAT
"""Seconds without a sign of life after which the request (or the consumer) is taken for lost."""

FORGOTTEN_AFTER = 600.0
"""Seconds after which the server removes a single session's consumer that nobody reads."""

NANOSECONDS = 1_000_000_000

log = structlog.get_logger()


@dataclass(slots=True)
class Inbox:
    """What a service reads from the record: some kinds of message, of all sessions or of one."""

    bus: Bus
    kinds: Sequence[Kind]
    scope: str
    settings: MeshSettings
    _stopping: bool = False
    _left: int = 0
    _alive: bool = False
    """Whether anything came since this was last looked at."""
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _lost: str = ""

    @property
    def durable(self) -> str:
        """The consumer's name: of the service, not of the instance."""
        return durable_name(self.bus.cell, self.bus.me.name, self.scope)

    async def provision(self) -> None:
        """Make the durable consumer, which begins with what comes now.

        One of a whole cell that is there already goes on where it stood; one of a single session, which
        somebody left behind, is made anew: what came before is folded from the record.
        """
        policy: DeliverPolicy | None = DeliverPolicy.NEW
        if self.scope == "*":
            policy = await self._policy_there() or policy
        else:
            await self.remove()
        await self.bus.jsm.add_consumer(STREAM, self._config(policy))

    async def remove(self) -> None:
        """Remove a single session's consumer; one of a whole cell stays for the next instance."""
        if self.scope != "*" and self.bus.nc.is_connected:
            try:
                await self.bus.jsm.delete_consumer(STREAM, self.durable)
            except NotFoundError:
                return
            except (APIError, TimeoutError):
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
        self._stopping = True
        self._ended.set()

    async def read(self, deliver: Callable[[Msg], Awaitable[None]]) -> None:
        """Hand over one message after the other until `stop`; survives the consumer's deletion."""

        async def on_message(message: Msg) -> None:
            self._alive = True
            if status := (message.headers or {}).get("Status"):
                self._note(status, message)
            elif self._stopping:
                await message.nak()
            else:
                self._left -= 1
                if self._left == 0:
                    self._ended.set()
                await deliver(message)

        answers = await self.bus.nc.subscribe(self.bus.nc.new_inbox(), cb=on_message)
        while not self._stopping and not self.bus.nc.is_closed:
            await self._request(answers.subject)
            await self._served()
            if self._lost:
                await self._recover()
        if not self.bus.nc.is_closed:
            await answers.drain()  # type: ignore[no-untyped-call]

    async def _request(self, reply: str) -> None:
        self._left, self._lost = BATCH, ""
        if not self._stopping:
            self._ended.clear()
        wish = {
            "batch": BATCH,
            "expires": int(EXPIRES * NANOSECONDS),
            "idle_heartbeat": int(HEARTBEAT * NANOSECONDS),
        }
        try:
            subject = f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{self.durable}"
            await self.bus.nc.publish(subject, json.dumps(wish).encode(), reply=reply)
        except ConnectionClosedError:
            self.stop()

    async def _served(self) -> None:
        """Return when the open request has been used up, ended, or seems to be lost."""
        while not self._ended.is_set():
            self._alive = False
            try:
                async with asyncio.timeout(SILENCE):
                    await self._ended.wait()
            except TimeoutError:
                if not self._alive:
                    self._lost = "silence"
                    return

    def _note(self, status: str, message: Msg) -> None:
        if status == StatusCode.CONTROL_MESSAGE:
            return
        self._ended.set()
        if status not in (StatusCode.NO_MESSAGES, StatusCode.REQUEST_TIMEOUT):
            self._lost = (message.headers or {}).get("Description") or status

    async def _recover(self) -> None:
        """Make the stream and the consumer again where they are gone; while NATS is away, wait."""
        if not self.bus.nc.is_connected:
            await asyncio.sleep(HEARTBEAT)
            return
        try:
            await self.bus.jsm.consumer_info(STREAM, self.durable)
        except NotFoundError:
            log.warning("consumer_lost", durable=self.durable, told=self._lost)
            await self._make_again()
        except (APIError, TimeoutError) as error:
            log.warning("consumer_unknown", durable=self.durable, error=str(error))
            await asyncio.sleep(HEARTBEAT)

    async def _make_again(self) -> None:
        try:
            await self.bus.provision()
            await self.bus.jsm.add_consumer(STREAM, await self._config_again())
        except (APIError, TimeoutError, BusUnreachable) as error:
            log.warning("consumer_not_back", durable=self.durable, error=str(error))
            await asyncio.sleep(HEARTBEAT)

    async def _policy_there(self) -> DeliverPolicy | None:
        try:
            info = await self.bus.jsm.consumer_info(STREAM, self.durable)
            policy: DeliverPolicy | None = info.config.deliver_policy
            return policy
        except NotFoundError:
            return None

    async def _config_again(self) -> ConsumerConfig:
        """For a consumer that was lost: a single session's takes up the last recorded step."""
        if self.scope == "*":
            return self._config(DeliverPolicy.NEW)
        try:
            last = await self.bus.jsm.get_last_msg(STREAM, wildcard(self.bus.cell, self.scope, Kind.STEP))
        except NotFoundError:
            return self._config(DeliverPolicy.ALL)
        return self._config(DeliverPolicy.BY_START_SEQUENCE, last.seq)

    def _config(self, policy: DeliverPolicy | None, start: int | None = None) -> ConsumerConfig:
        return ConsumerConfig(
            opt_start_seq=start,
            durable_name=self.durable,
            deliver_policy=policy,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.settings.ack_wait,
            max_deliver=-1,
            max_ack_pending=1000,
            mem_storage=self.scope != "*",
            filter_subjects=[wildcard(self.bus.cell, self.scope, kind) for kind in self.kinds],
            inactive_threshold=FORGOTTEN_AFTER if self.scope != "*" else None,
        )
