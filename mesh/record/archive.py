"""A session's record as a file: one JSON object a line, chained by hashes so that a change shows."""

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
"""What subjects and ids are made of; nothing that NATS or a terminal could take for a sign."""

IMPORTED = "Lantern-Imported"
"""The header of a message that was imported: no service acts on it."""

WRITTEN_AT_ONCE = 256
"""Messages on their way to the record at the same time."""

ACKNOWLEDGED_WITHIN = 60.0
"""Seconds that the server may take to sync so many to the disk."""


class ArchiveUnreadable(InputError):
    """A file that is no export, or one that was changed."""


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """One message of an export."""

    subject: str
    id: str
    payload: bytes


async def export(cell: Cell, session: str) -> AsyncIterator[str]:
    """The lines of a session's export: a head, every message, and a tail with their number.

    Raises:
        SessionUnknown: there is no such session in the cell.
    """
    head = _head(session, cell.name)
    chain, count = _digest("", head), 0
    yield head
    async for held in raw_messages(cell, record_of(cell.name, session)):
        line = {"subject": held.subject, "id": (held.headers or {}).get(Header.MSG_ID, "")}
        line["payload"] = base64.b64encode(held.data or b"").decode()
        chain, count = _digest(chain, json.dumps(line)), count + 1
        yield json.dumps({**line, "chain": chain})
    if count == 0:
        raise SessionUnknown(session)
    yield _tail(count, chain)


def read_archive(lines: Iterable[str]) -> tuple[str, str, list[KeptMessage]]:
    """The session, the cell and the messages of an export, all checked: each line must be as it was written.

    Raises:
        ArchiveUnreadable: it is no export, or it was changed; the line is named.
        NameRefused: its session or cell has a name that cannot be.
    """
    numbered = iter(enumerate(lines, start=1))
    head_number, head_line = next(numbered, (1, ""))
    head = _parsed(head_number, head_line)
    if head.get("format") != FORMAT:
        raise ArchiveUnreadable("This is no export of a session. Make one with `lantern sessions export`.")
    session, cell = checked_session(str(head.get("session"))), checked_cell(str(head.get("cell")))
    if head_line != _head(session, cell):
        raise _changed("Line 1 (the head)")
    return session, cell, list(_checked(numbered, _digest("", head_line), session, cell))


async def store(writer: RecordWriter, session: str, kept: Sequence[KeptMessage]) -> None:
    """Put a session's messages into the record, all or none, marked so that no service acts on them.

    Raises:
        SessionTaken: the session is there already.
        BusUnreachable: the server does not take them.
    """
    async for _ in raw_messages(writer.cell, record_of(writer.cell.name, session)):
        raise SessionTaken(session, hint="Delete that session first.")
    await _put(writer.cell, session, kept[:1])
    async with AsyncExitStack() as undo:
        undo.push_async_callback(writer.delete, session)
        for start in range(1, len(kept), WRITTEN_AT_ONCE):
            await _put(writer.cell, session, kept[start : start + WRITTEN_AT_ONCE])
        undo.pop_all()


async def _put(cell: Cell, session: str, kept: Sequence[KeptMessage]) -> None:
    """Publish some messages; one connection keeps their order, so that none has to wait for another."""
    try:
        acks = await asyncio.gather(*(_publish(cell, each) for each in kept))
    except APIError as error:
        if error.err_code == ALREADY_THERE:
            raise SessionTaken(session, hint="Delete that session first.") from error
        raise BusUnreachable(f"NATS refused a message of {session}: {error.description}.") from error
    except NatsTimeout as error:
        raise BusUnreachable(f"NATS did not acknowledge the messages of {session} in time.") from error
    if any(ack.duplicate for ack in acks):
        raise SessionTaken(session, hint="It was deleted this very moment. Try again.")


async def _publish(cell: Cell, message: KeptMessage) -> PubAck:
    headers = {Header.MSG_ID: message.id, IMPORTED: "1"}
    return await cell.js.publish(message.subject, message.payload, ACKNOWLEDGED_WITHIN, headers=headers)


def _checked(
    numbered: Iterator[tuple[int, str]], chain: str, session: str, cell: str
) -> Iterator[KeptMessage]:
    count = 0
    for number, text in numbered:
        line = _parsed(number, text)
        if "messages" in line:
            _check_tail(number, text, count, chain)
            _check_end(numbered)
            return
        told = {key: line.get(key) for key in ("subject", "id", "payload")}
        chain, count = _digest(chain, json.dumps(told)), count + 1
        if text != json.dumps({**told, "chain": chain}):
            before = "Line 1 (the head) or line" if count == 1 else "Line"
            raise _changed(f"{before} {number} ({told['subject']})")
        yield _kept(number, told, session, cell)
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
        raise ArchiveUnreadable(f"Line {number} stands after the session's end. Export the session again.")


def _kept(number: int, told: dict[str, Any], session: str, cell: str) -> KeptMessage:
    subject = str(told["subject"])
    try:
        payload = base64.b64decode(str(told["payload"]), validate=True)
    except ValueError as error:
        raise _changed(f"Line {number} ({subject})") from error
    if not subject.startswith(record_of(cell, session).removesuffix(">")):
        raise ArchiveUnreadable(f"Line {number} ({subject}) is of another session.")
    if not PLAIN.fullmatch(subject + str(told["id"])):
        raise ArchiveUnreadable(f"Line {number} names no subject of a session: {subject!r}.")
    address = address_of(subject)
    if address is not None and address.kind is Kind.STARTED:
        try:
            decode(subject, payload)
        except Undecodable as error:
            raise ArchiveUnreadable(f"Line {number} ({subject}): {error}") from error
    return KeptMessage(subject, str(told["id"]), payload)


def _parsed(number: int, text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveUnreadable(
            f"Line {number} is no JSON. Give a file that `lantern sessions export` made."
        ) from error
    if not isinstance(line, dict):
        raise ArchiveUnreadable(
            f"Line {number} is no object. Give a file that `lantern sessions export` made."
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
