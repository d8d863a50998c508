"""A connection to NATS as one service instance uses it in one cell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.manager import JetStreamManager

from mesh.errors import BusUnreachable
from mesh.nats import stream
from mesh.nats.codec import Undecodable, decode
from mesh.nats.connection import ConnectionEvents, open_connection, reason_of
from mesh.nats.reconnecting_client import ReconnectingClient
from mesh.nats.subjects import API, GUEST_API, STREAM, Address, wildcard
from schemas.base import Kind
from schemas.catalogue import PARTIES
from schemas.envelope import Envelope, ServiceRef

PATIENCE = 30.0
"""Seconds that a command's request waits for the server to come back."""

WITHOUT_JETSTREAM = b'"err_code":10039'
"""In the answer to a user whose account has no streams of its own."""

log = structlog.get_logger()


def utc_now() -> datetime:
    """The time that messages are stamped with."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Cell:
    """The connection of one service instance to one cell. Only the mesh itself uses `nc`, `js` and `jsm`."""

    nc: ReconnectingClient
    js: JetStreamContext
    jsm: JetStreamManager
    events: ConnectionEvents
    me: ServiceRef
    name: str
    now: Callable[[], datetime] = utc_now
    api: str = API

    @classmethod
    async def connect(cls, url: str, me: ServiceRef, name: str, patience: float = PATIENCE) -> Self:
        """Connect. `patience`: seconds that a request waits for the server to come back.

        Raises:
            BusUnreachable: no server answers at `url`, or it refuses the login.
        """
        nc, events = await open_connection(url, me, patience)
        api = await _api(nc, events.user)
        return cls(nc, nc.jetstream(timeout=5, prefix=api), nc.jsm(prefix=api), events, me, name, api=api)

    @property
    def is_guest(self) -> bool:
        """Whether this is a sub-agent in an account of its own, which offers its messages to the game."""
        return self.api == GUEST_API

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return replace(self, me=me)

    def named(self, name: str) -> Self:
        """Another cell over the same connection."""
        return replace(self, name=name)

    def address(
        self, session: str, kind: Kind, step: int, service: str | None = None, call: int | None = None
    ) -> Address:
        """The address of a message of a session of this cell."""
        return Address(self.name, session, kind, step, service, call)

    async def limit(self, most_bytes: int) -> None:
        """Limit the bytes that the stream of all sessions holds.

        Raises:
            BusUnreachable: the server has no room for so many.
        """
        await stream.limit(self.jsm, most_bytes)

    async def replicate(self, name: str, replicas: int) -> None:
        """Set the number of replicas of a stream, and wait until they are current.

        Raises:
            BusUnreachable: the cluster has too few servers, or a replica does not become current.
        """
        await stream.replicate(self.jsm, name, replicas)

    @property
    def server_version(self) -> object:
        """The version of the NATS server."""
        return self.nc.connected_server_version

    @property
    def is_connected(self) -> bool:
        """Whether the connection is up now."""
        return self.nc.is_connected

    def age(self, envelope: Envelope) -> float:
        """Seconds since a message was published, or since the last outage ended if that was later."""
        return min((self.now() - envelope.time).total_seconds(), self.events.time_since_outage())

    async def within(self, seconds: float, waiting: Callable[[], Awaitable[object]]) -> bool:
        """Whether `waiting` returned in time. A wait that an outage interrupted starts again."""
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
        """Create the stream or update it, if needed.

        Raises:
            BusUnreachable: the server has no JetStream.
            NotAllowed: the stream is missing or outdated, and this user may not change that.
            OtherMessages: the stream is for other versions of the messages.
        """
        await stream.provision(self.jsm, self.events.who)

    async def ready(self) -> None:
        """Wait until the server has processed all subscriptions made so far (one flush does not suffice).

        Raises:
            NotAllowed: the server refused a subscription.
        """
        await self.nc.round_trip()
        await self.nc.round_trip()
        if self.events.refused_subscription is not None:
            raise self.events.refused_subscription

    async def listen(
        self,
        kind: Kind,
        on_envelope: Callable[[Envelope], Awaitable[None]],
        on_invalid: Callable[[str, bytes, Undecodable], Awaitable[None]] | None = None,
    ) -> None:
        """Receive the messages of a kind in the cell as they are published: at once, but at most once.

        `on_invalid` gets the subject, the bytes and the fault of a message that cannot be decoded.
        A message that the stream refuses is received too; a message that is sent during a reconnect is lost.
        A caller that needs certainty reads the record.
        """

        async def on_message(message: Msg) -> None:
            try:
                await on_envelope(decode(message.subject, message.data))
            except Undecodable as error:
                log.warning("undecodable", subject=message.subject, error=str(error))
                if on_invalid is not None:
                    await on_invalid(message.subject, message.data, error)

        await self.nc.subscribe(wildcard(self.name, "*", kind), cb=on_message)

    async def close(self) -> None:
        """Drain the connection and disconnect."""
        if self.nc.is_closed:
            return
        self.events.closing = True
        try:
            await (self.nc.drain() if self.nc.is_connected else self.nc.close())
        except (OSError, NatsError) as error:  # the server is gone already
            log.info("closed_without_server", error=reason_of(error))
            await self.break_off()

    async def break_off(self) -> None:
        """Disconnect without waiting for the requests in hand, which may never be answered."""
        self.events.closing = True
        with suppress(OSError, NatsError):  # the server may be gone already
            await self.nc.close()


async def _api(nc: ReconnectingClient, user: str | None) -> str:
    """The prefix of the JetStream API for this user."""
    if user is None or user in PARTIES:
        return API
    try:
        answer = await nc.request(f"{API}.STREAM.INFO.{STREAM}", b"", timeout=5)
    except (NatsError, BusUnreachable):
        return API
    return GUEST_API if WITHOUT_JETSTREAM in answer.data else API
