"""A connection to NATS as one service instance uses it in one cell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.manager import JetStreamManager

from mesh.nats import stream
from mesh.nats.codec import Undecodable, decode
from mesh.nats.connection import ConnectionEvents, connected, reason_of
from mesh.nats.subjects import Address, wildcard
from schemas.base import Kind
from schemas.envelope import Envelope, ServiceRef

PATIENCE = 30.0
"""Seconds that a command's request waits for a server that has gone away."""

log = structlog.get_logger()


def utc_now() -> datetime:
    """The time that messages are stamped with."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, seen by one service instance. `nc`, `js` and `jsm` are for the mesh itself alone."""

    nc: Client
    js: JetStreamContext
    jsm: JetStreamManager
    events: ConnectionEvents
    me: ServiceRef
    name: str
    now: Callable[[], datetime] = utc_now

    @classmethod
    async def connect(cls, url: str, me: ServiceRef, name: str, patience: float = PATIENCE) -> Self:
        """Connect. `patience`: seconds that a request waits for a server that has gone away.

        Raises:
            BusUnreachable: nothing answers at `url`, or it refuses us.
        """
        nc, events = await connected(url, me, patience)
        return cls(nc, nc.jetstream(timeout=5), nc.jsm(), events, me, name)

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return replace(self, me=me)

    def named(self, name: str) -> Self:
        """Another cell by the same connection."""
        return replace(self, name=name)

    def address(
        self, session: str, kind: Kind, step: int, service: str | None = None, call: int | None = None
    ) -> Address:
        """Where a message of a session of this cell is stored."""
        return Address(self.name, session, kind, step, service, call)

    async def replicate(self, name: str, replicas: int) -> None:
        """Have so many servers of the cluster keep a stream.

        Raises:
            BusUnreachable: there are not so many, or one of them does not catch up.
        """
        await stream.replicate(self.jsm, name, replicas)

    @property
    def server_version(self) -> object:
        """The version of the server at the other end."""
        return self.nc.connected_server_version

    @property
    def is_connected(self) -> bool:
        """Whether the server is there now."""
        return self.nc.is_connected

    def age(self, envelope: Envelope) -> float:
        """Seconds since a message was published, or since an outage that ended later than that."""
        return min((self.now() - envelope.time).total_seconds(), self.events.there_for())

    async def within(self, seconds: float, waiting: Callable[[], Awaitable[object]]) -> bool:
        """Whether it came in time. A wait with an outage in it does not count, and is begun again."""
        while True:
            outages = self.events.outages
            try:
                async with asyncio.timeout(seconds):
                    await waiting()
                return True
            except TimeoutError:
                if self.events.outages == outages and not self.events.away():
                    return False

    async def provision(self) -> None:
        """Create the stream or update it, where that is needed.

        Raises:
            BusUnreachable: the server has no JetStream.
            NotAllowed: the stream is missing or outdated, and this user may not change that.
            OtherMessages: it is for other versions of the messages.
        """
        await stream.provision(self.jsm, self.events.who)

    async def ready(self) -> None:
        """Wait until the server has seen every subscription made so far (one flush is no barrier).

        Raises:
            NotAllowed: it refused one.
        """
        await self.nc.flush()
        await self.nc.flush()
        if self.events.refused_subscription is not None:
            raise self.events.refused_subscription

    async def listen(self, kind: Kind, on_envelope: Callable[[Envelope], Awaitable[None]]) -> None:
        """Receive every message of a kind in the cell as it is published: at once, but at most once.

        What the stream then refuses is received too, and what is sent during a reconnect is not: whoever must
        know reads the record.
        """

        async def on_message(message: Msg) -> None:
            try:
                await on_envelope(decode(message.subject, message.data))
            except Undecodable as error:
                log.warning("undecodable", subject=message.subject, error=str(error))

        await self.nc.subscribe(wildcard(self.name, "*", kind), cb=on_message)

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        if self.nc.is_closed:
            return
        self.events.closing = True
        try:
            await (self.nc.drain() if self.nc.is_connected else self.nc.close())
        except (OSError, NatsError) as error:  # the server is gone: there is nobody to disconnect from
            log.info("closed_without_server", error=reason_of(error))
