"""Reads, retries and drops dead letters: messages that a service could not handle."""

from __future__ import annotations

import base64
import itertools
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

import structlog
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from pydantic import ValidationError

from mesh.errors import InputError
from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, UnknownVersion, decode
from mesh.nats.subjects import ROOT, STREAM, session_in, subject_of
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.record.reader import RecordReader
from schemas.base import Kind
from schemas.mesh import DeadLetter, RetryAnswer, RetryDeadLetter

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """A dead letter with its number in the stream."""

    number: int
    """The dead letter's own sequence number in the stream, by which a user names it."""
    letter: DeadLetter

    @property
    def service(self) -> str:
        """The service that could not handle it."""
        return self.letter.service

    @property
    def subject(self) -> str:
        """The subject of the message."""
        return self.letter.subject

    @property
    def is_message(self) -> bool:
        """Whether it is a message of Lantern (even of an unknown version), and not foreign data."""
        return _is_message(self.subject, self.payload)

    @property
    def payload(self) -> bytes:
        """The bytes of the message."""
        return base64.b64decode(self.letter.payload_base64)


async def every(cell: Cell, session: str = "*", service: str = "*") -> AsyncIterator[StoredDeadLetter]:
    """The dead letters of the cell, oldest first."""
    async for raw in raw_messages(cell, f"{ROOT}.{cell.name}.{session}.dead.{service}.*"):
        if (letter := _letter(raw)) is not None:
            yield letter


async def counts(reader: RecordReader) -> Counter[str]:
    """The number of dead letters of each service of the cell."""
    return Counter(
        subject.split(".")[4] for subject in await reader.subjects(f"{ROOT}.{reader.cell.name}.*.dead.>")
    )


async def dead_letter_at(cell: Cell, number: int) -> StoredDeadLetter | None:
    """The dead letter of that number, or None."""
    if not 0 < number < 2**63:
        return None  # the server would take 0 for no number, and could not read a larger one
    try:
        raw = await cell.jsm.get_msg(STREAM, seq=number, direct=True)
    except NotFoundError:
        return None
    if ".dead." not in (raw.subject or ""):
        return None
    return _letter(raw)


async def dead_lettered_steps(reader: RecordReader, session: str) -> AsyncIterator[str]:
    """The subjects of the steps that are dead letters of the reader's own service (without foreign data).

    A service with a NATS user of its own may not read its dead letters (mesh/security/permissions.py), but it
    may list their subjects.
    """
    pattern = f"{ROOT}.{reader.cell.name}.{session}.dead.{reader.cell.me.name}.*"
    numbers = [subject.rpartition(".")[2] for subject in await reader.subjects(pattern)]
    sequences = {int(number) for number in numbers if number.isdecimal()}
    for number in itertools.count() if sequences else ():
        subject = subject_of(reader.cell.address(session, Kind.STEP, number))
        raw = await reader.raw(subject)
        if raw is None:
            return
        if raw.seq in sequences and _is_message(subject, raw.data or b""):
            yield subject


async def named(cell: Cell, number: int) -> StoredDeadLetter:
    """The dead letter of that number.

    Raises:
        InputError: there is no such dead letter.
    """
    if (found := await dead_letter_at(cell, number)) is None:
        raise InputError(
            f"There is no dead letter {number}. `lantern dead-letters list` shows those there are."
        )
    return found


async def retry(bus: Bus, number: int) -> RetryAnswer:
    """Ask the service to handle the message again; on success the dead letter is deleted."""
    found = await named(bus.cell, number)
    request, session = RetryDeadLetter(sequence=number, subject=found.subject), session_in(found.subject)
    answer = await bus.requests.ask(found.service, "retry", request, RetryAnswer, session=session, timeout=30)
    if answer.ok:
        await bus.cell.jsm.delete_msg(STREAM, number)
    return answer


async def drop(cell: Cell, number: int) -> None:
    """Delete a dead letter."""
    await named(cell, number)
    await cell.jsm.delete_msg(STREAM, number)


def _letter(raw: RawStreamMsg) -> StoredDeadLetter | None:
    """The dead letter in a message; None: it is not a valid one."""
    try:
        return StoredDeadLetter(raw.seq or 0, DeadLetter.model_validate_json(raw.data or b""))
    except ValidationError:
        log.warning("dead_letter_unreadable", subject=raw.subject, sequence=raw.seq)
        return None


def _is_message(subject: str, payload: bytes) -> bool:
    try:
        decode(subject, payload)
    except UnknownVersion:
        return True
    except Undecodable:
        return False
    return True
