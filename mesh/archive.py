"""A session's record as a file: one JSON object a line, chained by hashes so that a change shows."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from nats.js.api import Header

from mesh.bus import Bus
from mesh.codec import Undecodable, decode
from mesh.errors import InputError, SessionTaken, SessionUnknown
from mesh.record import delete, raw_messages
from mesh.subjects import checked_cell, checked_session, place_of, record_of
from schemas.base import Kind

FORMAT = "lantern-session/1"
PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
"""What subjects and ids are made of; nothing that NATS or a terminal could take for a sign."""

IMPORTED = "Lantern-Imported"
"""The header of a message that was imported: no service acts on it."""


class ArchiveUnreadable(InputError):
    """A file that is no export, or one that was changed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One message of an export."""

    subject: str
    id: str
    payload: bytes


async def export(bus: Bus, session: str) -> AsyncIterator[str]:
    """The lines of a session's export: a head, every message, and a tail with their number.

    Raises:
        SessionUnknown: there is no such session in the bus's cell.
    """
    head = json.dumps({"format": FORMAT, "session": session, "cell": bus.cell})
    chain, count = _digest("", head), 0
    yield head
    async for held in raw_messages(bus, record_of(bus.cell, session)):
        line = {"subject": held.subject, "id": (held.headers or {}).get(Header.MSG_ID, "")}
        line["payload"] = base64.b64encode(held.data or b"").decode()
        chain, count = _digest(chain, json.dumps(line)), count + 1
        yield json.dumps({**line, "chain": chain})
    if count == 0:
        raise SessionUnknown(session)
    yield json.dumps({"messages": count, "chain": _digest(chain, str(count))})


def read_archive(lines: Iterable[str]) -> tuple[str, str, list[Kept]]:
    """The session, the cell and the messages of an export, all checked.

    Raises:
        ArchiveUnreadable: it is no export, or it was changed; the line is named.
    """
    numbered = iter(enumerate(lines, start=1))
    head_number, head_line = next(numbered, (1, ""))
    head = _parsed(head_number, head_line)
    if head.get("format") != FORMAT:
        raise ArchiveUnreadable("This is no export of a session. Make one with `lantern sessions export`.")
    session, cell = checked_session(str(head.get("session"))), checked_cell(str(head.get("cell")))
    return session, cell, list(_checked(numbered, _digest("", head_line.rstrip("\n")), session, cell))


async def store(bus: Bus, session: str, kept: list[Kept]) -> None:
    """Put an export's messages into the record, all or none.

    Raises:
        SessionTaken: the session is there already.
    """
    async for _ in raw_messages(bus, record_of(bus.cell, session)):
        raise SessionTaken(session, mend="Delete that session first.")
    async with AsyncExitStack() as undo:
        undo.push_async_callback(delete, bus, session)
        for message in kept:
            headers = {Header.MSG_ID: message.id, IMPORTED: "1"}
            await bus.js.publish(message.subject, message.payload, headers=headers)
        undo.pop_all()


def _checked(numbered: Iterator[tuple[int, str]], chain: str, session: str, cell: str) -> Iterator[Kept]:
    count = 0
    for number, text in numbered:
        line = _parsed(number, text)
        if "messages" in line:
            if line["messages"] != count or line.get("chain") != _digest(chain, str(count)):
                raise ArchiveUnreadable(f"Line {number}: {count} messages stand here, others were exported.")
            return
        told = {key: line.get(key) for key in ("subject", "id", "payload")}
        chain, count = _digest(chain, json.dumps(told)), count + 1
        if line.get("chain") != chain:
            raise ArchiveUnreadable(
                f"Line {number} ({told['subject']}) is not as it was exported. Export the session again."
            )
        yield _kept(number, told, session, cell)
    raise ArchiveUnreadable("The file ends before the session does. Export the session again.")


def _kept(number: int, told: dict[str, Any], session: str, cell: str) -> Kept:
    subject, payload = str(told["subject"]), base64.b64decode(str(told["payload"]))
    if not subject.startswith(record_of(cell, session).removesuffix(">")):
        raise ArchiveUnreadable(f"Line {number} ({subject}) is of another session.")
    if not PLAIN.fullmatch(subject + str(told["id"])):
        raise ArchiveUnreadable(f"Line {number} names no subject of a session: {subject!r}.")
    place = place_of(subject)
    if place is not None and place.kind is Kind.STARTED:
        try:
            decode(subject, payload)
        except Undecodable as error:
            raise ArchiveUnreadable(f"Line {number} ({subject}): {error}") from error
    return Kept(subject, str(told["id"]), payload)


def _parsed(number: int, text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except ValueError as error:
        raise ArchiveUnreadable(
            f"Line {number} is no JSON. Give a file that `lantern sessions export` made."
        ) from error
    if not isinstance(line, dict):
        raise ArchiveUnreadable(
            f"Line {number} is no object. Give a file that `lantern sessions export` made."
        )
    return line


def _digest(chain: str, line: str) -> str:
    return hashlib.sha256(f"{chain}\n{line}".encode()).hexdigest()
