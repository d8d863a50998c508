"""A NATS client that repeats requests after an outage.

nats-py waits for an answer until the time limit, even if the connection is lost meanwhile. Here a request
fails with its connection; if repeating it is harmless, it is sent again as soon as the server is back.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol

from nats.aio.client import DEFAULT_FLUSH_TIMEOUT, NO_RESPONDERS_STATUS, Client
from nats.aio.msg import Msg
from nats.errors import (
    ConnectionClosedError,
    ConnectionReconnectingError,
    NoRespondersError,
    OutboundBufferLimitError,
)
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import Header
from nats.js.errors import NoStreamResponseError, ServiceUnavailableError

from mesh.errors import BusAway, BusFull, BusUnreachable
from mesh.nats.subjects import API, GUEST_API

SERVER_GONE = (
    "The NATS server is gone. What it had acknowledged is kept: start it again, and see "
    "`lantern sessions show`."
)

NO_ANSWER = "The NATS server does not answer in time. See its log, and try again."

CLOSED = "The connection to NATS was closed for good. See the log for the reason."

TRANSIENT_FAULTS = (
    BusAway,
    BusFull,
    ConnectionReconnectingError,
    NatsTimeout,
    NoRespondersError,
    NoStreamResponseError,
    OutboundBufferLimitError,
    ServiceUnavailableError,
)
"""Faults that pass when the server is back, or has room; the message in hand is not to blame."""


class Interrupted(BusAway):
    """The connection was lost before the answer came: the request may or may not have been carried out."""


class NoAnswer(NatsTimeout, BusAway):
    """The server, or who serves the subject, has not answered in time; it may have done what was asked."""

    def __str__(self) -> str:
        return NO_ANSWER


class Connection(Protocol):
    """The part of `ConnectionEvents` that the client needs."""

    there: asyncio.Event

    def fail_on_loss(self, subject: str, answer: asyncio.Future[Any], /) -> AbstractContextManager[None]:
        """Within the block, fail the answer if the connection is lost or the server refuses the subject."""


class ReconnectingClient(Client):
    """A client whose requests wait up to `patience` seconds for the server to come back.

    An answer resolves its request's future while the socket is read. (nats-py queues each answer for a task
    and waits for it in another task, which costs two more turns of the event loop per request.)
    """

    def __init__(self, connection: Connection, patience: float) -> None:
        super().__init__()
        self._connection, self._patience = connection, patience
        self._tokens = itertools.count()
        self._awaited: dict[str, asyncio.Future[Msg]] = {}
        self._answers = ""
        """The prefix of the subjects of answers. Empty: there was no request yet."""
        self._answers_sid = -1

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        timeout: float = 0.5,
        old_style: bool = False,
        headers: dict[str, Any] | None = None,
    ) -> Msg:
        """Send a request; repeat it after an outage if that is harmless. `timeout` does not count outages.

        Raises:
            Interrupted: the connection was lost, and repeating the request might execute it twice.
            NoAnswer: none came in time.
            BusAway: the server has been away for too long.
            BusUnreachable: the connection has been closed for good.
            NotAllowed: the server does not permit this request.
        """
        while True:
            await self._server_there()
            try:
                return await self._exchange(subject, payload, timeout, headers)
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
            raise BusAway(SERVER_GONE) from error
        if self.is_closed:
            raise BusUnreachable(CLOSED)

    async def _exchange(
        self, subject: str, payload: bytes, timeout: float, headers: dict[str, Any] | None
    ) -> Msg:
        """Publish a request and wait for its answer.

        Raises:
            Interrupted: the connection was lost before the answer came.
            NoAnswer: none came in time.
            NotAllowed: the server does not let us publish to the subject.
        """
        loop, token = asyncio.get_running_loop(), str(next(self._tokens))
        answer: asyncio.Future[Msg] = loop.create_future()
        limit = loop.call_later(timeout, fail, answer, NoAnswer())
        self._awaited[token] = answer
        try:
            with self._connection.fail_on_loss(subject, answer):
                await self.publish(subject, payload, reply=f"{self._answers}{token}", headers=headers)
                message = await answer
        finally:
            limit.cancel()
            del self._awaited[token]
        if message.headers and message.headers.get(Header.STATUS) == NO_RESPONDERS_STATUS:
            raise NoRespondersError
        return message

    async def flush(self, timeout: int = DEFAULT_FLUSH_TIMEOUT) -> None:
        """Wait until the server has processed all that was sent before; `timeout`: seconds.

        (nats-py's own waits on when the connection is lost, and at times swallows its caller's cancellation.)

        Raises:
            ConnectionReconnectingError: the connection has been lost.
            ConnectionClosedError: it has been closed for good.
            NoAnswer: the server did not answer in time.
        """
        if self.is_closed:
            raise ConnectionClosedError
        if not self._connection.there.is_set() and self._status != Client.CONNECTED:
            raise ConnectionReconnectingError
        pong: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        try:
            with self._connection.fail_on_loss("", pong):
                await self._send_ping(pong)
                async with asyncio.timeout(timeout):
                    await pong
        except Interrupted as error:
            raise ConnectionReconnectingError from error
        except TimeoutError as error:
            raise NoAnswer from error

    async def round_trip(self) -> None:
        """Wait until the server has processed all that was sent before, even if it goes away meanwhile.

        Raises:
            NoAnswer: the server did not answer in time.
            BusAway: the server has been away for too long.
            BusUnreachable: the connection has been closed for good.
        """
        while True:
            await self._server_there()
            with suppress(ConnectionReconnectingError):
                return await self.flush()

    async def _process_pong(self) -> None:
        """Take in the answer to a flush. (If that was broken off, nats-py fails, and reads no more.)"""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

    async def subscribe_to_answers(self) -> None:
        """Subscribe to the answers of all requests; once, after the connection is made."""

        async def unexpected(message: Msg) -> None:
            """Answers never reach the subscription's queue (see `_process_msg`)."""

        prefix = self.new_inbox()
        subscription = await self.subscribe(f"{prefix}.*", cb=unexpected)
        self._answers, self._answers_sid = f"{prefix}.", subscription._id

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        if sid != self._answers_sid:
            await super()._process_msg(sid, subject, reply, data, headers)
            return
        answer = self._awaited.get(subject[len(self._answers) :].decode())
        if answer is not None and not answer.done():
            parsed = await self._process_headers(headers)
            answer.set_result(self._build_message(sid, subject, reply, data, parsed))

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        """Parse header lines as nats-py does, without its check of each character: the server wrote them."""
        lines = (line.partition(":") for line in raw.decode("utf-8", "replace").split("\r\n"))
        return {name: value.strip() for name, colon, value in lines if colon}


def fail(answer: asyncio.Future[Any], error: Exception) -> None:
    """End the wait for an answer with an error, unless it has ended."""
    if not answer.done():
        answer.set_exception(error)
        answer.exception()  # whoever waited may have been cancelled at the same moment: that is no fault


def is_harmless_twice(subject: str, headers: dict[str, Any] | None) -> bool:
    """Whether a request may be repeated: it asks JetStream, or publishes with an id to the record."""
    return subject.startswith((f"{API}.", f"{GUEST_API}.")) or Header.MSG_ID in (headers or {})
