"""Stores snapshots of sessions in NATS, so that a resume need not replay from the opening.

They are only a cache: without them a resume is slower, and has the same result.
"""

from __future__ import annotations

from dataclasses import dataclass

from nats.errors import Error as NatsError
from nats.js.api import KeyValueConfig
from nats.js.errors import NotFoundError
from nats.js.kv import KeyValue

from mesh.errors import BusFull
from mesh.nats.cell import Cell

BUCKET = "LANTERN_SNAPSHOTS"
STREAM = f"KV_{BUCKET}"
"""The JetStream stream behind the bucket."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One snapshot."""

    step: int
    data: bytes


async def put(cell: Cell, session: str, step: int, data: bytes) -> None:
    """Store a session's snapshot at a step.

    Raises:
        BusFull: the server does not take it (it is too large, or the store is full).
    """
    try:
        bucket = await _bucket(cell)
        await bucket.put(f"{cell.name}.{session}.{step}", data)
    except NatsError as error:
        raise BusFull(f"The snapshot of step {step} was not stored: {error}.") from error


async def newest(cell: Cell, session: str) -> Stored | None:
    """A session's last snapshot; None: there is none."""
    try:
        raw = await cell.jsm.get_last_msg(STREAM, _subject(cell, session, "*"))
    except NotFoundError:
        return None
    return Stored(int((raw.subject or "").rpartition(".")[2]), raw.data or b"")


async def delete(cell: Cell, session: str) -> None:
    """Remove all snapshots of a session."""
    try:
        await cell.jsm.purge_stream(STREAM, subject=_subject(cell, session, "*"))
    except NotFoundError:
        return


async def provision(cell: Cell) -> None:
    """Create the bucket if it is missing."""
    await _bucket(cell)


async def _bucket(cell: Cell) -> KeyValue:
    try:
        return await cell.js.key_value(BUCKET)
    except NotFoundError:
        return await cell.js.create_key_value(KeyValueConfig(bucket=BUCKET))


def _subject(cell: Cell, session: str, step: str) -> str:
    return f"$KV.{BUCKET}.{cell.name}.{session}.{step}"
