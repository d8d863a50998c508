"""Dead letters: messages that a service could not handle, kept until somebody looks."""

from __future__ import annotations

import base64
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass

import structlog
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from pydantic import ValidationError

from mesh.errors import InputError
from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, UnknownVersion, decode
from mesh.nats.subjects import ROOT, STREAM, subject_of
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.record.reader import RecordReader
from schemas.base import Kind
from schemas.mesh import DeadLetter, RetryAnswer, RetryDeadLetter

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """A dead letter, and where it is kept."""

    number: int
    """The dead letter's own sequence number in the stream: what a user names it by."""
    letter: DeadLetter

    @property
    def service(self) -> str:
        """The service that could not handle it."""
        return self.letter.service

    @property
    def subject(self) -> str:
        """Where the message was."""
        return self.letter.subject

    @property
    def is_message(self) -> bool:
        """Whether it is a message at all (be it of an unknown version), and not rubbish."""
        return _is_message(self.subject, self.payload)

    @property
    def payload(self) -> bytes:
        """The message as it came."""
        return base64.b64decode(self.letter.payload_base64)


async def every(cell: Cell, session: str = "*", service: str = "*") -> AsyncIterator[StoredDeadLetter]:
    """The dead letters of the cell, oldest first."""
    async for held in raw_messages(cell, f"{ROOT}.{cell.name}.{session}.dead.{service}.*"):
        if (letter := _letter(held)) is not None:
            yield letter


async def dead_letter_at(cell: Cell, number: int) -> StoredDeadLetter | None:
    """The dead letter of that number, or None."""
    try:
        held = await cell.jsm.get_msg(STREAM, seq=number, direct=True)
    except NotFoundError:
        return None
    if ".dead." not in (held.subject or ""):
        return None
    return _letter(held)


async def given_up(reader: RecordReader, session: str) -> AsyncIterator[str]:
    """The subjects of the steps that the reader's own service has given up on (rubbish is no step).

    A service with a user of its own may not read its dead letters back (mesh/security/permissions.py), but it
    may see that they are there.
    """
    pattern = f"{ROOT}.{reader.cell.name}.{session}.dead.{reader.cell.me.name}.*"
    told = [subject.rpartition(".")[2] for subject in await reader.subjects(pattern)]
    sequences = {int(number) for number in told if number.isdecimal()}
    for number in itertools.count() if sequences else ():
        subject = subject_of(reader.cell.address(session, Kind.STEP, number))
        held = await reader.raw(subject)
        if held is None:
            return
        if held.seq in sequences and _is_message(subject, held.data or b""):
            yield subject


async def named(cell: Cell, number: int) -> StoredDeadLetter:
    """The dead letter of that number.

    Raises:
        InputError: there is none.
    """
    if (found := await dead_letter_at(cell, number)) is None:
        raise InputError(
            f"There is no dead letter {number}. `lantern dead-letters list` shows those there are."
        )
    return found


async def retry(bus: Bus, number: int) -> RetryAnswer:
    """Have the service handle it again; on success the dead letter is gone."""
    found = await named(bus.cell, number)
    wish, session = RetryDeadLetter(sequence=number, subject=found.subject), found.subject.split(".")[2]
    answer = await bus.requests.ask(found.service, "retry", wish, RetryAnswer, session=session, timeout=30)
    if answer.ok:
        await bus.cell.jsm.delete_msg(STREAM, number)
    return answer


async def drop(cell: Cell, number: int) -> None:
    """Throw a dead letter away."""
    await named(cell, number)
    await cell.jsm.delete_msg(STREAM, number)


def _letter(held: RawStreamMsg) -> StoredDeadLetter | None:
    """What is kept there; None: it is no dead letter, whoever put it there."""
    try:
        return StoredDeadLetter(held.seq or 0, DeadLetter.model_validate_json(held.data or b""))
    except ValidationError:
        log.warning("dead_letter_unreadable", subject=held.subject, sequence=held.seq)
        return None


def _is_message(subject: str, payload: bytes) -> bool:
    try:
        decode(subject, payload)
    except UnknownVersion:
        return True
    except Undecodable:
        return False
    return True
