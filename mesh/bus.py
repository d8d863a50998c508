"""One service's connection to NATS: typed publish into the record, and typed questions.

Promises: a message of the record is stored at most once per subject, whoever publishes it and however
often (the stream refuses the second); `publish` returns only after the server's acknowledgement.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self, TypeVar

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from nats.js import JetStreamContext
from nats.js.api import Header, RawStreamMsg
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError
from nats.js.manager import JetStreamManager
from pydantic import BaseModel, ValidationError

from mesh.codec import Undecodable, UnknownVersion, decode, encode, place_named_by, trace_id
from mesh.connection import ConnectionEvents, connected, reason_of
from mesh.errors import BusAway, BusFull, BusUnreachable, NobodyAnswers
from mesh.insight import Insight
from mesh.metrics import DEAD
from mesh.stream import SAME_ID_WINDOW, provision
from mesh.subjects import (
    STREAM,
    Place,
    ask_subject,
    dead_subject,
    message_id,
    subject_of,
    wildcard,
)
from mesh.tracing import Traces
from schemas.base import Kind, Message
from schemas.envelope import Envelope, ServiceRef
from schemas.mesh import DeadLetter, MessageRecalled, RecallMessage

ALREADY_THERE = 10077
"""JetStream's error code for a subject (or a stream) that takes no more messages."""

PATIENCE = 30.0
"""Seconds that a command's request waits for a server that has gone away."""
KEEPER = "game"
"""The service that may take away what no longer holds. Any other, where each has a user of its own, may not,
nor read back what it published (see mesh/permissions.py): to it, whoever was first was another."""

TRIES = 3
"""Times that a subject is freed of what does not belong there before it is given up."""

SERVICE_ERROR = "Nats-Service-Error"
"""The header of an answer that is an error, by the NATS micro protocol."""

A = TypeVar("A", bound=BaseModel)
log = structlog.get_logger()


class Outcome(StrEnum):
    """What became of a publish into the record."""

    STORED = "stored"
    MINE = "mine"
    LOST = "lost"


@dataclass(slots=True)
class Bus:
    """A connection as one service instance in one cell uses it."""

    nc: Client
    js: JetStreamContext
    jsm: JetStreamManager
    events: ConnectionEvents
    me: ServiceRef
    cell: str
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    reading: dict[Any, Any] = field(default_factory=dict)
    """What the record is being read for now, shared by the services of one process (see `record.steps`)."""
    traces: Traces | None = None
    insight: Insight = field(init=False)
    """What is counted, timed and traced of this service."""

    def __post_init__(self) -> None:
        self.insight = Insight(self.me, self.cell, self.traces)

    @classmethod
    async def connect(cls, url: str, me: ServiceRef, cell: str, patience: float = PATIENCE) -> Self:
        """Connect. `patience`: seconds that a request waits for a server that has gone away.

        Raises:
            BusUnreachable: nothing answers at `url`, or it refuses us.
        """
        nc, events = await connected(url, me, patience)
        return cls(nc, nc.jetstream(timeout=5), nc.jsm(), events, me, cell)

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return replace(self, me=me)

    async def provision(self) -> None:
        """See that the one stream is there and as it should be; else make it or bring it up to date.

        Raises:
            BusUnreachable: the server has no JetStream.
            NotAllowed: the stream is missing or outdated, and it is not for us to mend that.
            OtherMessages: it is for other versions of the messages.
        """
        await provision(self.jsm, self.events.who)

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

    def envelope(self, session: str, message: Message, cause: str | None) -> Envelope:
        """The message as this service says it now (its parts are valid already)."""
        return Envelope.model_construct(
            version=message.version,
            kind=message.kind,
            cell=self.cell,
            session=session,
            step=message.step,
            service=self.me,
            cause=cause,
            time=self.now(),
            trace_id=trace_id(session, message.step),
            body=message,
        )

    async def publish(self, session: str, message: Message, cause: str | None = None) -> Outcome:
        """Put a message into the session's record, once.

        A subject that holds something undecodable is freed (it is kept as a dead letter) and taken.

        Raises:
            BusFull: the stream takes no more.
            BusAway: the server did not answer, or the stream is gone.
            BusUnreachable: the server refused it.
            NotAllowed: the server does not let us publish this (told at once).
        """
        envelope = self.envelope(session, message, cause)
        with self.insight.publishing(envelope) as publishing:
            outcome = await self._publish(envelope)
            publishing.outcome = outcome.value
        return outcome

    async def store(self, subject: str, data: bytes, msg_id: str) -> Outcome | None:
        """Publish bytes with a derived id; None: what was in the way is gone, so publish again."""
        try:
            ack = await self.js.publish(subject, data, headers={Header.MSG_ID: msg_id}, timeout=5)
        except APIError as error:
            if error.err_code != ALREADY_THERE:
                raise BusUnreachable(f"NATS refused {subject}: {error.description}.") from error
            if not await self.holds(subject):
                raise BusFull("The NATS stream is full. Give it more room, or delete sessions.") from error
            return await self._who_was_first(subject)
        except NatsTimeout as error:
            if await self.holds(subject):
                return await self._who_was_first(subject)
            raise BusAway(f"NATS did not acknowledge {subject} in time.") from error
        except NoStreamResponseError as error:
            raise BusAway(f"There is no stream that takes {subject}: was it deleted?") from error
        return await self._who_was_first(subject) if ack.duplicate else Outcome.STORED

    async def last(self, subject: str) -> RawStreamMsg | None:
        """The message on a subject of the record, or None."""
        try:
            return await self.jsm.get_msg(STREAM, subject=subject, direct=True)
        except NotFoundError:
            return None

    async def holds(self, subject: str) -> bool:
        """Whether the record has a message on a subject (which need not be readable to us)."""
        return bool(await self.subjects(subject))

    async def subjects(self, pattern: str) -> list[str]:
        """The subjects of the record that a pattern matches, in no order; `pattern` may have wildcards."""
        return list((await self.jsm.stream_info(STREAM, subjects_filter=pattern)).state.subjects or ())

    async def read(self, place: Place) -> Envelope | None:
        """The typed message at a place of the record, or None (also where it cannot be decoded)."""
        held = await self.last(subject_of(place))
        if held is None or held.data is None:
            return None
        try:
            return decode(subject_of(place), held.data)
        except Undecodable:
            return None

    async def read_own(self, place: Place) -> Envelope | None:
        """The same of a message that this service may have published: with a user of its own, the game reads.

        Raises:
            BusAway: the game service does not answer.
        """
        if not self._reads_not_its_own:
            return await self.read(place)
        wish = RecallMessage(
            session=place.session, kind=place.kind, step=place.step, service=self.me.name, call=place.call
        )
        try:
            told = await self.ask(KEEPER, "recall", wish, MessageRecalled, session=place.session)
            return decode(subject_of(place), told.envelope.encode()) if told.envelope else None
        except NobodyAnswers as error:
            raise BusAway(str(error)) from error
        except Undecodable:
            return None

    async def clear(self, place: Place) -> None:
        """Remove what the record holds at a place, if anything: only for what no longer holds."""
        held = await self.last(subject_of(place))
        if held is not None:
            await self.jsm.delete_msg(STREAM, held.seq or 0)

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

    async def _publish(self, envelope: Envelope) -> Outcome:
        place = place_named_by(envelope)
        for _ in range(TRIES):
            outcome = await self.store(subject_of(place), encode(envelope), message_id(place))
            if outcome is not None:
                return outcome
            await asyncio.sleep(SAME_ID_WINDOW)
        raise BusFull(f"The subject {subject_of(place)} cannot be freed. See `lantern dead-letters list`.")

    async def bury(self, subject: str, sequence: int, data: bytes, error: str, tries: int) -> None:
        """Keep a message that cannot be handled as a dead letter of this service, with the reason."""
        letter = DeadLetter(
            service=self.me.name,
            cell=self.cell,
            subject=subject,
            sequence=sequence,
            error=error,
            tries=tries,
            payload_base64=base64.b64encode(data).decode(),
            time=self.now(),
        )
        session = subject.split(".")[2]
        where = dead_subject(self.cell, session, self.me.name, sequence)
        try:
            await self.js.publish(where, letter.model_dump_json().encode(), headers={Header.MSG_ID: where})
        except APIError as refused:
            if refused.err_code != ALREADY_THERE:
                raise
        self.insight.meter.of(DEAD).inc()
        log.warning("dead_letter", subject=subject, sequence=sequence, tries=tries, error=error)

    @property
    def _reads_not_its_own(self) -> bool:
        return self.events.user == self.me.name != KEEPER

    async def _who_was_first(self, subject: str) -> Outcome | None:
        if self._reads_not_its_own:
            return Outcome.LOST
        held = await self.last(subject)
        if held is None:
            return None
        try:
            envelope = decode(subject, held.data or b"")
        except UnknownVersion:
            return Outcome.LOST
        except Undecodable as error:
            await self.bury(subject, held.seq or 0, held.data or b"", str(error), tries=0)
            await self.jsm.delete_msg(STREAM, held.seq or 0)
            return None
        return Outcome.MINE if envelope.service.instance == self.me.instance else Outcome.LOST


def _answer_in(reply: Msg, answer: type[A], failed: str) -> A:
    if reply.headers and (fault := reply.headers.get(SERVICE_ERROR)):
        raise NobodyAnswers(f"{failed}: {fault}. See its log.")
    try:
        return answer.model_validate_json(reply.data)
    except ValidationError as error:
        raise NobodyAnswers(f"{failed}: it answered with nonsense. Is it of another version?") from error
