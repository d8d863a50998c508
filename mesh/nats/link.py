"""One service instance in a cell: what it hears and asks there. Nothing of that is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from pydantic import BaseModel, ValidationError

from mesh.errors import NobodyAnswers
from mesh.nats.codec import Undecodable, decode
from mesh.nats.connection import ConnectionEvents, reason_of
from mesh.nats.subjects import ask_subject, wildcard
from schemas.base import Kind
from schemas.envelope import Envelope, ServiceRef

SERVICE_ERROR = "Nats-Service-Error"
"""The header of an answer that is an error, by the NATS micro protocol."""

A = TypeVar("A", bound=BaseModel)
log = structlog.get_logger()


@dataclass(slots=True)
class Link:
    """A connection as one service instance in one cell uses it."""

    nc: Client
    events: ConnectionEvents
    me: ServiceRef
    cell: str

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return replace(self, me=me)

    async def within(self, seconds: float, waiting: Callable[[], Awaitable[object]]) -> bool:
        """Whether it came in time. Only a wait without an outage counts: nobody can be heard meanwhile."""
        while True:
            outages = self.events.outages
            try:
                async with asyncio.timeout(seconds):
                    await waiting()
                return True
            except TimeoutError:
                if self.events.outages == outages and not self.events.away():
                    return False

    async def ready(self) -> None:
        """Wait until the server has seen every subscription made so far (one flush is no barrier).

        Raises:
            NotAllowed: it refused one.
        """
        await self.nc.flush()
        await self.nc.flush()
        if self.events.refused_subscription is not None:
            raise self.events.refused_subscription

    async def listen(self, kind: Kind, heard: Callable[[Envelope], Awaitable[None]]) -> None:
        """Hear every message of a kind in the cell as it is published: at once, but at most once.

        What the stream then refuses is heard too, and what is sent during a reconnect is not: whoever must
        know reads the record.
        """

        async def on_message(message: Msg) -> None:
            try:
                await heard(decode(message.subject, message.data))
            except Undecodable as error:
                log.warning("undecodable", subject=message.subject, error=str(error))

        await self.nc.subscribe(wildcard(self.cell, "*", kind), cb=on_message)

    async def ask(
        self,
        service: str,
        verb: str,
        question: BaseModel,
        answer: type[A],
        *,
        session: str,
        timeout: float = 5.0,
    ) -> A:
        """Ask the live service that serves a session: one that serves it alone, else one for the whole cell.

        Raises:
            NobodyAnswers: nobody serves this, or not in time, or with nonsense.
            Interrupted: the connection was lost under way; it may have been heard, or not.
        """
        data = question.model_dump_json().encode()
        for scope in (session, "*"):
            try:
                subject = ask_subject(self.cell, service, verb, scope)
                reply = await self.nc.request(subject, data, timeout=timeout)
            except NoRespondersError:
                continue
            except NatsTimeout as error:
                raise NobodyAnswers(
                    f"The {service} service gave no answer to '{verb}' within {timeout:g} s. See its log."
                ) from error
            return _answer_in(reply, answer, f"The {service} service failed at '{verb}'")
        raise NobodyAnswers(
            f"No {service} service is live in cell {self.cell}. Start it with `lantern serve {service}`."
        )

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        if self.nc.is_closed:
            return
        self.events.closing = True
        try:
            await (self.nc.drain() if self.nc.is_connected else self.nc.close())
        except (OSError, NatsError) as error:  # a server that is gone cannot be taken leave of
            log.info("closed_without_leave", error=reason_of(error))


def _answer_in(reply: Msg, answer: type[A], failed: str) -> A:
    if reply.headers and (fault := reply.headers.get(SERVICE_ERROR)):
        raise NobodyAnswers(f"{failed}: {fault}. See its log.")
    try:
        return answer.model_validate_json(reply.data)
    except ValidationError as error:
        raise NobodyAnswers(f"{failed}: it answered with nonsense. Is it of another version?") from error
