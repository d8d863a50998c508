"""Requests that outlast the connection they were made on.

nats-py waits for an answer until the time limit, although the server it was asked of is dead. Here a request
ends with its connection; where asking twice does no harm, it is made again as soon as the server is back.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Protocol

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import ConnectionReconnectingError, NoRespondersError, OutboundBufferLimitError
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import Header
from nats.js.errors import NoStreamResponseError, ServiceUnavailableError

from mesh.errors import BusAway, BusUnreachable

GONE = (
    "The NATS server is gone. What it had acknowledged is kept: start it again, and see "
    "`lantern sessions show`."
)

CLOSED = "The connection to NATS was closed for good. See the log for the reason."

OF_THE_BUS = (
    BusAway,
    ConnectionReconnectingError,
    NatsTimeout,
    NoRespondersError,
    NoStreamResponseError,
    OutboundBufferLimitError,
    ServiceUnavailableError,
)
"""Faults that pass with an outage, and are no fault of the message that was being handled."""


class Interrupted(BusAway):
    """The connection was lost while an answer was awaited: whether it was done is unknown."""


class Connection(Protocol):
    """What a client must know of its connection (see `ConnectionEvents`)."""

    there: asyncio.Event
    lost: asyncio.Future[None]

    def unless_refused(self, subject: str, /) -> AbstractAsyncContextManager[None]:
        """End the block at once if the server does not let us publish to the subject."""


class ReconnectingClient(Client):
    """A client whose requests wait up to `patience` seconds for a server that has gone away."""

    def __init__(self, connection: Connection, patience: float) -> None:
        super().__init__()
        self._connection, self._patience = connection, patience

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        timeout: float = 0.5,
        old_style: bool = False,
        headers: dict[str, Any] | None = None,
    ) -> Msg:
        """Ask, again if need be where that is harmless; `timeout` counts while the server is there.

        Raises:
            Interrupted: the connection was lost, and asking again might do something twice.
            BusAway: the server has been away for too long.
            BusUnreachable: the connection has been closed for good.
            NotAllowed: the server does not let us ask this.
        """
        while True:
            await self._server_there()
            try:
                return await self._asked(subject, payload, timeout, old_style, headers)
            except Interrupted:
                if not is_harmless_twice(subject, headers):
                    raise

    async def _server_there(self) -> None:
        if self.is_closed:
            raise BusUnreachable(CLOSED)
        if self._connection.there.is_set():
            return
        try:
            async with asyncio.timeout(None if math.isinf(self._patience) else self._patience):
                await self._connection.there.wait()
        except TimeoutError as error:
            raise BusAway(GONE) from error
        if self.is_closed:
            raise BusUnreachable(CLOSED)

    async def _asked(
        self, subject: str, payload: bytes, timeout: float, old_style: bool, headers: dict[str, Any] | None
    ) -> Msg:
        lost = self._connection.lost
        until_lost = asyncio.timeout(None)

        def end(_: object) -> None:
            with suppress(RuntimeError):  # answered at the same moment
                until_lost.reschedule(0)

        try:
            async with until_lost, self._connection.unless_refused(subject):
                lost.add_done_callback(end)
                try:
                    return await super().request(subject, payload, timeout, old_style, headers)
                finally:
                    lost.remove_done_callback(end)
        except TimeoutError as error:
            if until_lost.expired():
                raise Interrupted("The connection to NATS was lost under way. Try again.") from error
            raise


def is_harmless_twice(subject: str, headers: dict[str, Any] | None) -> bool:
    """Asking JetStream, and publishing with an id onto a subject that takes one message."""
    return subject.startswith("$JS.API.") or Header.MSG_ID in (headers or {})
