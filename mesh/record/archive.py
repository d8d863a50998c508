"""Exports a session's record to a file and imports it: one JSON object a line, chained by hashes.

A line holds the bytes of a message as they are in the record, so that `jq` and `grep` read it:
`{"subject": ..., "id": ..., "message": <its bytes>, "chain": ...}`. A message that is not JSON in one line (a
foreign one) is in Base64, under `base64`.
"""

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
from nats.js.errors import APIError, NoStreamResponseError
from pydantic_core import from_json

from mesh.errors import BusUnreachable, InputError, SessionTaken, SessionUnknown
from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, decode
from mesh.nats.stream import ALREADY_THERE, SAME_ID_WINDOW
from mesh.nats.subjects import address_of, checked_cell, checked_session, record_of
from mesh.record.batches import Batches, last_raw, raw_messages
from mesh.record.reader import RecordReader
from mesh.record.writer import RecordWriter
from schemas.base import Kind

FORMAT = "lantern-session/2"
_MESSAGE = re.compile(
    r'\{"subject": "([A-Za-z0-9_.-]*)", "id": "([A-Za-z0-9_.-]*)", '
    r'"(message|base64)": (.*), "chain": "[0-9a-f]{64}"\}'
)

DEAD = re.compile(r"lantern\.[^.]+\.[^.]+\.dead\.[^.]+\.[0-9]+")
"""The subjects of dead letters."""

IMPORTED = "Lantern-Imported"
"""The header of an imported message: services do not handle such a message.

Its value is the number of messages that are imported together; with fewer, the import was cut short."""

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
        message = _content(raw.subject or "", (raw.headers or {}).get(Header.MSG_ID, ""), raw.data or b"")
        chain, count = _digest(chain, message), count + 1
        yield _line(message, chain)
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

    What is left of an import that was cut short is replaced.

    Raises:
        SessionTaken: the session exists already.
        BusUnreachable: the server does not take the messages.
    """
    if await last_raw(writer.cell, record_of(writer.cell.name, session)) is not None:
        if await writer.reader.end_of(session) is not None or not await is_cut_short(writer.reader, session):
            raise _taken(session)
        await writer.delete(session)
        await asyncio.sleep(2 * SAME_ID_WINDOW)  # the server looks now and then
    await _put(writer.cell, session, messages[:1], len(messages))
    async with AsyncExitStack() as undo:
        undo.push_async_callback(writer.delete, session)
        for start in range(1, len(messages), WRITTEN_AT_ONCE):
            await _put(writer.cell, session, messages[start : start + WRITTEN_AT_ONCE], len(messages))
        undo.pop_all()


async def is_cut_short(reader: RecordReader, session: str) -> bool:
    """Whether a session was imported and not all of its messages are there."""
    async with Batches(reader.cell, record_of(reader.cell.name, session)) as batches:
        first = next(iter(await batches.next()), None)
    number = (first.headers or {}).get(IMPORTED, "") if first is not None else ""
    if not number.isdecimal():
        return False
    return len(await reader.subjects(record_of(reader.cell.name, session))) < int(number)


async def _put(cell: Cell, session: str, messages: Sequence[ArchivedMessage], number: int) -> None:
    """Publish some messages concurrently; one connection keeps their order."""
    try:
        acks = await asyncio.gather(*(_publish(cell, each, number) for each in messages))
    except APIError as error:
        if error.err_code == ALREADY_THERE:
            raise _taken(session) from error
        raise BusUnreachable(f"NATS refused a message of {session}: {error.description}.") from error
    except NoStreamResponseError as error:
        raise BusUnreachable(f"The stream does not take a message of {session}: was it deleted?") from error
    except NatsTimeout as error:
        raise BusUnreachable(f"NATS did not acknowledge the messages of {session} in time.") from error
    if any(ack.duplicate for ack in acks):
        raise SessionTaken(session, hint="A session of that id was deleted just now. Try again.")


async def _publish(cell: Cell, message: ArchivedMessage, number: int) -> PubAck:
    headers = {Header.MSG_ID: message.id, IMPORTED: str(number)}
    return await cell.js.publish(message.subject, message.payload, ACKNOWLEDGED_WITHIN, headers=headers)


def _checked(
    numbered: Iterator[tuple[int, str]], chain: str, session: str, cell: str
) -> Iterator[ArchivedMessage]:
    seen: set[str] = set()
    for number, text in numbered:
        found = _MESSAGE.fullmatch(text)
        if found is None:
            if "messages" not in _parsed(number, text):
                raise _changed(f"Line {number}")
            _check_tail(number, text, len(seen), chain)
            _check_end(numbered)
            return
        subject, msg_id, form, content = found.groups()
        message = text[: found.end(4)]
        chain = _digest(chain, message)
        if text != _line(message, chain):
            before = "Line" if seen else "Line 1 (the head) or line"
            raise _changed(f"{before} {number} ({subject})")
        _check_address(number, subject, session, cell, seen)
        yield _archived_message(number, subject, msg_id, _payload(number, subject, form, content))
    raise ArchiveUnreadable(
        f"The file ends after {len(seen)} messages, before the session does. Export the session again."
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


def _check_address(number: int, subject: str, session: str, cell: str, seen: set[str]) -> None:
    """Check that a message belongs to the session, comes once, and that the session's start is the first."""
    where, address = f"Line {number} ({subject})", address_of(subject)
    if not subject.startswith(record_of(cell, session).removesuffix(">")):
        raise ArchiveUnreadable(f"{where} belongs to another session.")
    if address is None and not DEAD.fullmatch(subject):
        raise ArchiveUnreadable(f"{where} is on no subject of a session.")
    if subject in seen:
        raise ArchiveUnreadable(f"{where} comes a second time.")
    if not seen and (address is None or address.kind is not Kind.STARTED):
        raise ArchiveUnreadable(f"{where} comes before the session's start.")
    seen.add(subject)


def _archived_message(number: int, subject: str, msg_id: str, payload: bytes) -> ArchivedMessage:
    address = address_of(subject)
    if address is not None and address.kind is Kind.STARTED:
        try:
            decode(subject, payload)
        except Undecodable as error:
            raise ArchiveUnreadable(f"Line {number} ({subject}): {error}") from error
    return ArchivedMessage(subject, msg_id, payload)


def _payload(number: int, subject: str, form: str, content: str) -> bytes:
    if form == "message":
        return content.encode()
    try:
        return base64.b64decode(content.strip('"'), validate=True)
    except ValueError as error:
        raise _changed(f"Line {number} ({subject})") from error


def _content(subject: str, msg_id: str, payload: bytes) -> str:
    """The line of a message, without its chain."""
    readable = _readable(payload)
    named = (
        f'"base64": "{base64.b64encode(payload).decode()}"' if readable is None else f'"message": {readable}'
    )
    return f'{{"subject": "{subject}", "id": "{msg_id}", {named}'


def _readable(payload: bytes) -> str | None:
    """The bytes as text, if that is a JSON object in one line."""
    if not payload.startswith(b"{"):
        return None
    try:
        from_json(payload, allow_inf_nan=False)
        text = payload.decode()
    except ValueError:
        return None
    return text if len(text.splitlines()) == 1 else None


def _line(message: str, chain: str) -> str:
    return f'{message}, "chain": "{chain}"}}'


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


def _taken(session: str) -> SessionTaken:
    return SessionTaken(session, hint=f"Delete that session first: `lantern sessions delete {session}`.")


def _changed(what: str) -> ArchiveUnreadable:
    return ArchiveUnreadable(f"{what} is not as it was exported. Export the session again.")


def _head(session: str, cell: str) -> str:
    return json.dumps({"format": FORMAT, "session": session, "cell": cell})


def _tail(count: int, chain: str) -> str:
    return json.dumps({"messages": count, "chain": _digest(chain, str(count))})


def _digest(chain: str, line: str) -> str:
    return hashlib.sha256(f"{chain}\n{line}".encode()).hexdigest()
