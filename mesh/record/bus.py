"""The record as one service instance writes and reads it, a message at a time (`Link` has what is not kept).

Promises: a message of the record is stored at most once per subject, whoever publishes it and however
often (the stream refuses the second); `publish` returns only after the server's acknowledgement.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

import structlog
from nats.errors import TimeoutError as NatsTimeout
from nats.js import JetStreamContext
from nats.js.api import Header, RawStreamMsg
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError
from nats.js.manager import JetStreamManager

from mesh.errors import BusAway, BusFull, BusUnreachable, NobodyAnswers
from mesh.metrics import DEAD
from mesh.nats.codec import Undecodable, UnknownVersion, decode, encode, message_in, place_named_by, trace_id
from mesh.nats.connection import connected
from mesh.nats.link import Link
from mesh.nats.stream import SAME_ID_WINDOW, provision
from mesh.nats.subjects import STREAM, Address, dead_subject, message_id, subject_of
from mesh.observability.telemetry import Telemetry
from mesh.observability.tracing import Traces
from schemas.base import Message
from schemas.envelope import Envelope, ServiceRef
from schemas.mesh import DeadLetter, MessageRecalled, RecallMessage

ALREADY_THERE = 10077
"""JetStream's error code for a subject (or a stream) that takes no more messages."""

PATIENCE = 30.0
"""Seconds that a command's request waits for a server that has gone away."""

PRIVILEGED_READER = "game"
"""The service that may take away what no longer holds. Any other, where each has a user of its own, may not,
nor read back what it published (see mesh/security/permissions.py): to it, whoever was first was another."""

TRIES = 3
"""Times that a subject is freed of what does not belong there before it is given up."""

log = structlog.get_logger()


class PublishOutcome(StrEnum):
    """What became of a publish into the record."""

    STORED = "stored"
    MINE = "mine"
    LOST = "lost"


@dataclass(slots=True)
class Bus(Link):
    """A link with the record behind it."""

    js: JetStreamContext
    jsm: JetStreamManager
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    reading: dict[Any, Any] = field(default_factory=dict)
    """What the record is being read for now, shared by the services of one process (mesh/record/steps.py)."""
    traces: Traces | None = None
    telemetry: Telemetry = field(init=False)
    """What is counted, timed and traced of this service."""

    def __post_init__(self) -> None:
        self.telemetry = Telemetry(self.me, self.cell, self.traces)

    @classmethod
    async def connect(cls, url: str, me: ServiceRef, cell: str, patience: float = PATIENCE) -> Self:
        """Connect. `patience`: seconds that a request waits for a server that has gone away.

        Raises:
            BusUnreachable: nothing answers at `url`, or it refuses us.
        """
        nc, events = await connected(url, me, patience)
        return cls(nc, events, me, cell, nc.jetstream(timeout=5), nc.jsm())

    async def provision(self) -> None:
        """See that the one stream is there and as it should be; else make it or bring it up to date.

        Raises:
            BusUnreachable: the server has no JetStream.
            NotAllowed: the stream is missing or outdated, and it is not for us to mend that.
            OtherMessages: it is for other versions of the messages.
        """
        await provision(self.jsm, self.events.who)

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

    async def publish(self, session: str, message: Message, cause: str | None = None) -> PublishOutcome:
        """Put a message into the session's record, once.

        A subject that holds something undecodable is freed (it is kept as a dead letter) and taken.

        Raises:
            BusFull: the stream takes no more.
            BusAway: the server did not answer, or the stream is gone.
            BusUnreachable: the server refused it.
            NotAllowed: the server does not let us publish this (told at once).
        """
        envelope = self.envelope(session, message, cause)
        with self.telemetry.publishing(envelope) as publishing:
            outcome = await self._publish(envelope)
            publishing.outcome = outcome.value
        return outcome

    async def dead_letter(self, subject: str, sequence: int, data: bytes, error: str, tries: int) -> None:
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
        self.telemetry.meter.of(DEAD).inc()
        log.warning("dead_letter", subject=subject, sequence=sequence, tries=tries, error=error)

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

    async def read(self, place: Address) -> Envelope | None:
        """The typed message at a place of the record, or None (also where it cannot be decoded)."""
        held = await self.last(subject_of(place))
        return message_in(held.subject, held.data) if held else None

    async def read_own(self, place: Address) -> Envelope | None:
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
            told = await self.ask(PRIVILEGED_READER, "recall", wish, MessageRecalled, session=place.session)
        except NobodyAnswers as error:
            raise BusAway(str(error)) from error
        return message_in(subject_of(place), told.envelope.encode()) if told.envelope else None

    async def clear(self, place: Address) -> None:
        """Remove what the record holds at a place, if anything: only for what no longer holds."""
        held = await self.last(subject_of(place))
        if held is not None:
            await self.jsm.delete_msg(STREAM, held.seq or 0)

    async def _publish(self, envelope: Envelope) -> PublishOutcome:
        place = place_named_by(envelope)
        for _ in range(TRIES):
            outcome = await self._store(subject_of(place), encode(envelope), message_id(place))
            if outcome is not None:
                return outcome
            await asyncio.sleep(SAME_ID_WINDOW)
        raise BusFull(f"The subject {subject_of(place)} cannot be freed. See `lantern dead-letters list`.")

    async def _store(self, subject: str, data: bytes, msg_id: str) -> PublishOutcome | None:
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
        return await self._who_was_first(subject) if ack.duplicate else PublishOutcome.STORED

    async def _who_was_first(self, subject: str) -> PublishOutcome | None:
        if self._reads_not_its_own:
            return PublishOutcome.LOST
        held = await self.last(subject)
        if held is None:
            return None
        try:
            envelope = decode(subject, held.data or b"")
        except UnknownVersion:
            return PublishOutcome.LOST
        except Undecodable as error:
            await self.dead_letter(subject, held.seq or 0, held.data or b"", str(error), tries=0)
            await self.jsm.delete_msg(STREAM, held.seq or 0)
            return None
        return PublishOutcome.MINE if envelope.service.instance == self.me.instance else PublishOutcome.LOST

    @property
    def _reads_not_its_own(self) -> bool:
        return self.events.user == self.me.name != PRIVILEGED_READER
