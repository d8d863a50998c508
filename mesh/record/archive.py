"""Exports a session's record to a file and imports it: one JSON object a line, chained by hashes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import Header, PubAck
from nats.js.errors import APIError

from mesh.errors import BusUnreachable, InputError, SessionTaken, SessionUnknown
from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, decode
from mesh.nats.subjects import address_of, checked_cell, checked_session, record_of
from mesh.record.batches import raw_messages
from mesh.record.writer import ALREADY_THERE, RecordWriter
from schemas.base import Kind

FORMAT = "lantern-session/1"
PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
"""The characters of subjects and ids; none has a special meaning to NATS or a terminal."""

IMPORTED = "Lantern-Imported"
"""The header of an imported message: services do not handle such a message."""

WRITTEN_AT_ONCE = 256
"""The number of messages that an import publishes concurrently."""

ACKNOWLEDGED_WITHIN = 60.0
"""Seconds that the server may take to sync such a batch to disk."""


class ArchiveUnreadable(InputError):
    """The file is not an export, or it was changed."""


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """One message of an export."""

    subject: str
    id: str
    payload: bytes


async def export(cell: Cell, session: str) -> AsyncIterator[str]:
    """The lines of a session's export: a head, every message, and a tail with the number of messages.

    Raises:
        SessionUnknown: the cell has no such session.
    """
    head = _head(session, cell.name)
    chain, count = _digest("", head), 0
    yield head
    async for raw in raw_messages(cell, record_of(cell.name, session)):
        line = {"subject": raw.subject, "id": (raw.headers or {}).get(Header.MSG_ID, "")}
        line["payload"] = base64.b64encode(raw.data or b"").decode()
        chain, count = _digest(chain, json.dumps(line)), count + 1
        yield json.dumps({**line, "chain": chain})
    if count == 0:
        raise SessionUnknown(session)
    yield _tail(count, chain)


def read_archive(lines: Iterable[str]) -> tuple[str, str, list[ArchivedMessage]]:
    """The session, the cell and the messages of an export; each line must be exactly as it was written.

    Raises:
        ArchiveUnreadable: the file is not an export, or a line (which the error names) was changed.
        NameRefused: the name of its session or cell is not valid.
    """
    numbered = iter(enumerate(lines, start=1))
    head_number, head_line = next(numbered, (1, ""))
    head = _parsed(head_number, head_line)
    if head.get("format") != FORMAT:
        raise ArchiveUnreadable(
            "This is not an export of a session. Make one with `lantern sessions export`."
        )
    session, cell = checked_session(str(head.get("session"))), checked_cell(str(head.get("cell")))
    if head_line != _head(session, cell):
        raise _changed("Line 1 (the head)")
    return session, cell, list(_checked(numbered, _digest("", head_line), session, cell))


async def store(writer: RecordWriter, session: str, messages: Sequence[ArchivedMessage]) -> None:
    """Store a session's messages in the record, all or none, marked so that no service handles them.

    Raises:
        SessionTaken: the session exists already.
        BusUnreachable: the server does not take the messages.
    """
    async for _ in raw_messages(writer.cell, record_of(writer.cell.name, session)):
        raise SessionTaken(session, hint="Delete that session first.")
    await _put(writer.cell, session, messages[:1])
    async with AsyncExitStack() as undo:
        undo.push_async_callback(writer.delete, session)
        for start in range(1, len(messages), WRITTEN_AT_ONCE):
            await _put(writer.cell, session, messages[start : start + WRITTEN_AT_ONCE])
        undo.pop_all()


async def _put(cell: Cell, session: str, messages: Sequence[ArchivedMessage]) -> None:
    """Publish some messages concurrently; one connection keeps their order."""
    try:
        acks = await asyncio.gather(*(_publish(cell, each) for each in messages))
    except APIError as error:
        if error.err_code == ALREADY_THERE:
            raise SessionTaken(session, hint="Delete that session first.") from error
        raise BusUnreachable(f"NATS refused a message of {session}: {error.description}.") from error
    except NatsTimeout as error:
        raise BusUnreachable(f"NATS did not acknowledge the messages of {session} in time.") from error
    if any(ack.duplicate for ack in acks):
        raise SessionTaken(session, hint="A session of that id was deleted just now. Try again.")


async def _publish(cell: Cell, message: ArchivedMessage) -> PubAck:
    headers = {Header.MSG_ID: message.id, IMPORTED: "1"}
    return await cell.js.publish(message.subject, message.payload, ACKNOWLEDGED_WITHIN, headers=headers)


def _checked(
    numbered: Iterator[tuple[int, str]], chain: str, session: str, cell: str
) -> Iterator[ArchivedMessage]:
    count = 0
    for number, text in numbered:
        line = _parsed(number, text)
        if "messages" in line:
            _check_tail(number, text, count, chain)
            _check_end(numbered)
            return
        fields = {key: line.get(key) for key in ("subject", "id", "payload")}
        chain, count = _digest(chain, json.dumps(fields)), count + 1
        if text != json.dumps({**fields, "chain": chain}):
            before = "Line 1 (the head) or line" if count == 1 else "Line"
            raise _changed(f"{before} {number} ({fields['subject']})")
        yield _archived_message(number, fields, session, cell)
    raise ArchiveUnreadable(
        f"The file ends after {count} messages, before the session does. Export the session again."
    )


def _check_tail(number: int, text: str, count: int, chain: str) -> None:
    if text != _tail(count, chain):
        raise ArchiveUnreadable(
            f"Line {number} (the tail): {count} messages stand before it, others were exported. "
            "Export the session again."
        )


def _check_end(numbered: Iterator[tuple[int, str]]) -> None:
    for number, _ in numbered:
        raise ArchiveUnreadable(f"Line {number} comes after the session's end. Export the session again.")


def _archived_message(number: int, fields: dict[str, Any], session: str, cell: str) -> ArchivedMessage:
    subject = str(fields["subject"])
    try:
        payload = base64.b64decode(str(fields["payload"]), validate=True)
    except ValueError as error:
        raise _changed(f"Line {number} ({subject})") from error
    if not subject.startswith(record_of(cell, session).removesuffix(">")):
        raise ArchiveUnreadable(f"Line {number} ({subject}) belongs to another session.")
    if not PLAIN.fullmatch(subject + str(fields["id"])):
        raise ArchiveUnreadable(f"The subject in line {number} is not one of a session: {subject!r}.")
    address = address_of(subject)
    if address is not None and address.kind is Kind.STARTED:
        try:
            decode(subject, payload)
        except Undecodable as error:
            raise ArchiveUnreadable(f"Line {number} ({subject}): {error}") from error
    return ArchivedMessage(subject, str(fields["id"]), payload)


def _parsed(number: int, text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveUnreadable(
            f"Line {number} is not JSON. Give a file that `lantern sessions export` made."
        ) from error
    if not isinstance(line, dict):
        raise ArchiveUnreadable(
            f"Line {number} is not a JSON object. Give a file that `lantern sessions export` made."
        )
    return line


def _changed(what: str) -> ArchiveUnreadable:
    return ArchiveUnreadable(f"{what} is not as it was exported. Export the session again.")


def _head(session: str, cell: str) -> str:
    return json.dumps({"format": FORMAT, "session": session, "cell": cell})


def _tail(count: int, chain: str) -> str:
    return json.dumps({"messages": count, "chain": _digest(chain, str(count))})


def _digest(chain: str, line: str) -> str:
    return hashlib.sha256(f"{chain}\n{line}".encode()).hexdigest()
