"""Writes messages into the record for one service instance.

Promises: a message of the record is stored at most once per subject, whoever publishes it and however
often (the stream refuses the second); `publish` returns only after the server's acknowledgement.
"""

from __future__ import annotations

import asyncio
import base64
import math
import time
from dataclasses import dataclass
from enum import StrEnum

import structlog
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import Header
from nats.js.errors import APIError, NoStreamResponseError

from mesh.errors import MAKE_ROOM, STORES_NOTHING, BusAway, BusFull, BusUnreachable
from mesh.metrics import DEAD
from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, UnknownVersion, decode, encode, envelope_address, trace_id
from mesh.nats.offering import offer
from mesh.nats.stream import ALREADY_THERE, SAME_ID_WINDOW
from mesh.nats.subjects import (
    ROOT,
    STREAM,
    Address,
    dead_subject,
    message_id,
    record_of,
    session_in,
    shadow_cell,
    subject_of,
)
from mesh.observability.telemetry import Telemetry
from mesh.record import snapshots
from mesh.record.reader import RecordReader, reads_own
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted
from schemas.mesh import DeadLetter

NO_ROOM = (10002, 10023, 10047, ALREADY_THERE)
"""JetStream's error codes for a store that takes no more messages: of the account, the server, the disk."""

PUBLISH_ATTEMPTS = 3
"""The number of attempts to publish while foreign messages occupy the subject."""

log = structlog.get_logger()


class PublishOutcome(StrEnum):
    """The outcome of a publish into the record."""

    STORED = "stored"
    MINE = "mine"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class RecordWriter:
    """Publishes the messages of one service instance in one cell."""

    cell: Cell
    reader: RecordReader
    telemetry: Telemetry

    def envelope(self, session: str, message: Message, cause: str | None) -> Envelope:
        """The envelope in which this service publishes a message now (not validated: its parts are valid)."""
        return Envelope.model_construct(
            version=message.version,
            kind=message.kind,
            cell=self.cell.name,
            session=session,
            step=message.step,
            service=self.cell.me,
            cause=cause,
            time=self.cell.now(),
            trace_id=trace_id(session, message.step),
            body=message,
        )

    async def publish(self, session: str, message: Message, cause: str | None = None) -> PublishOutcome:
        """Store a message in the session's record, once.

        If an undecodable message occupies the subject, it is moved to the dead letters first.

        Raises:
            BusFull: the server stores no more.
            BusAway: the server did not answer, or the stream is gone.
            BusUnreachable: the server refused it, or an invalid message on the subject comes again and again.
            NotAllowed: the server does not let us publish this (raised at once).
        """
        envelope = self.envelope(session, message, cause)
        with self.telemetry.publishing(envelope) as publishing:
            outcome = await self._publish(envelope)
            publishing.outcome = outcome.value
        return outcome

    async def end(self, session: str, ended: SessionEnded, cause: str | None = None) -> PublishOutcome:
        """Publish a session's end. It replaces an end at the same step from before a resume."""
        outcome = await self.publish(session, ended, cause)
        if outcome is PublishOutcome.STORED or await self.reader.end_of(session) is not None:
            return outcome
        await self._clear(self.cell.address(session, Kind.ENDED, ended.step))
        return await self.publish(session, ended, cause)

    async def begin_again(self, session: str, resumed: SessionStarted) -> None:
        """Publish that a session is resumed. It replaces an earlier resume at the same step."""
        if await self.publish(session, resumed) is not PublishOutcome.STORED:
            await self._clear(self.cell.address(session, Kind.STARTED, resumed.step))
            await self.publish(session, resumed)

    async def dead_letter(self, subject: str, sequence: int, data: bytes, error: str, tries: int) -> None:
        """Keep a message that cannot be handled as a dead letter of this service, with the reason."""
        letter = DeadLetter(
            service=self.cell.me.name,
            cell=self.cell.name,
            subject=subject,
            sequence=sequence,
            error=error,
            tries=tries,
            payload_base64=base64.b64encode(data).decode(),
            time=self.cell.now(),
        )
        session = session_in(subject)
        where = dead_subject(self.cell.name, session, self.cell.me.name, sequence)
        payload = letter.model_dump_json().encode()
        if self.cell.is_guest:
            await offer(self.cell, where, payload)
        else:
            await self._keep(where, payload)
        self.telemetry.meter.of(DEAD).inc()
        log.warning("dead_letter", subject=subject, sequence=sequence, tries=tries, error=error)

    async def store(self, subject: str, data: bytes) -> PublishOutcome:
        """Store a message that was encoded elsewhere, once. Raises as `publish` does."""
        return await self._stored(subject, data, subject.removeprefix(f"{ROOT}."))

    async def delete(self, session: str) -> None:
        """Remove a session's whole record, the messages of its shadows, and its snapshots."""
        await self.delete_shadows(session)
        await snapshots.delete(self.cell, session)
        await self.cell.jsm.purge_stream(STREAM, subject=record_of(self.cell.name, session))

    async def delete_shadows(self, session: str) -> None:
        """Remove what shadows have said of a session.

        Raises:
            NotAllowed: this user may delete nothing.
        """
        await self.cell.jsm.purge_stream(STREAM, subject=record_of(shadow_cell(self.cell.name), session))

    async def _clear(self, address: Address) -> None:
        """Remove an outdated message at an address, if there is one."""
        raw = await self.reader.raw(subject_of(address))
        if raw is not None:
            await self.cell.jsm.delete_msg(STREAM, raw.seq or 0)

    async def _keep(self, subject: str, payload: bytes) -> None:
        """Store a dead letter, unless it is there."""
        try:
            await self.cell.js.publish(subject, payload, headers={Header.MSG_ID: subject})
        except APIError as refused:
            if refused.err_code not in NO_ROOM:
                raise
            if not await self.reader.holds(subject):
                raise self._full(refused.description or "no room", at_once=True) from refused

    async def _publish(self, envelope: Envelope) -> PublishOutcome:
        address = envelope_address(envelope)
        subject, data = subject_of(address), encode(envelope)
        if self.cell.is_guest:
            return PublishOutcome.STORED if await offer(self.cell, subject, data) else PublishOutcome.LOST
        return await self._stored(subject, data, message_id(address))

    async def _stored(self, subject: str, data: bytes, msg_id: str) -> PublishOutcome:
        for _ in range(PUBLISH_ATTEMPTS):
            outcome = await self._store(subject, data, msg_id)
            if outcome is not None:
                return outcome
            await asyncio.sleep(SAME_ID_WINDOW)
        raise BusUnreachable(f"The subject {subject} cannot be freed. See `lantern dead-letters list`.")

    async def _store(self, subject: str, data: bytes, msg_id: str) -> PublishOutcome | None:
        """Publish bytes with a derived id; None: a foreign message was removed, so publish again."""
        try:
            ack = await self.cell.js.publish(subject, data, headers={Header.MSG_ID: msg_id}, timeout=5)
        except APIError as error:
            if error.err_code not in NO_ROOM:
                raise BusUnreachable(f"NATS refused {subject}: {error.description}.") from error
            if not await self.reader.holds(subject):
                raise self._full(error.description or "no room", at_once=True) from error
            return await self._who_was_first(subject)
        except NatsTimeout as error:
            if await self.reader.holds(subject):
                first = await self._who_was_first(subject)
                return PublishOutcome.STORED if first is PublishOutcome.MINE else first  # acknowledged late
            raise self._full(f"it did not acknowledge {subject} in time", at_once=False) from error
        except NoStreamResponseError as error:
            raise BusAway(f"There is no stream that takes {subject}: was it deleted?") from error
        self.cell.events.full = None
        return await self._who_was_first(subject) if ack.duplicate else PublishOutcome.STORED

    def _full(self, why: str, *, at_once: bool) -> BusFull:
        """The server answers, but has not stored a message. It may only be slow, unless it says so."""
        if self.cell.events.full is None:
            self.cell.events.full = -math.inf if at_once else time.monotonic()
        return BusFull(f"{STORES_NOTHING} ({why}). {MAKE_ROOM}")

    async def _who_was_first(self, subject: str) -> PublishOutcome | None:
        if not reads_own(self.cell):
            return PublishOutcome.LOST
        raw = await self.reader.raw(subject)
        if raw is None:
            return None
        try:
            envelope = decode(subject, raw.data or b"")
        except UnknownVersion:
            return PublishOutcome.LOST
        except Undecodable as error:
            await self.dead_letter(subject, raw.seq or 0, raw.data or b"", str(error), tries=0)
            await self.cell.jsm.delete_msg(STREAM, raw.seq or 0)
            return None
        is_mine = envelope.service.instance == self.cell.me.instance
        return PublishOutcome.MINE if is_mine else PublishOutcome.LOST
