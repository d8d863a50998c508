"""Snapshots on the bus: what a service keeps of a session at some steps, so as not to start from the opening.

They are a cache beside the record: without them a resume is slower, and comes out the same.
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
"""The stream that JetStream keeps the bucket in."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One snapshot."""

    step: int
    data: bytes


async def put(cell: Cell, session: str, step: int, data: bytes) -> None:
    """Keep a session's snapshot at a step.

    Raises:
        BusFull: the server does not take it (it is too large, or there is no room).
    """
    try:
        bucket = await _bucket(cell)
        await bucket.put(f"{cell.name}.{session}.{step}", data)
    except NatsError as error:
        raise BusFull(f"The snapshot of step {step} is not kept: {error}.") from error


async def newest(cell: Cell, session: str) -> Stored | None:
    """A session's last snapshot; None: there is none."""
    try:
        held = await cell.jsm.get_last_msg(STREAM, _subject(cell, session, "*"))
    except NotFoundError:
        return None
    return Stored(int((held.subject or "").rpartition(".")[2]), held.data or b"")


async def delete(cell: Cell, session: str) -> None:
    """Remove all snapshots of a session."""
    try:
        await cell.jsm.purge_stream(STREAM, subject=_subject(cell, session, "*"))
    except NotFoundError:
        return


async def provision(cell: Cell) -> None:
    """Make the bucket, where it is not there."""
    await _bucket(cell)


async def _bucket(cell: Cell) -> KeyValue:
    try:
        return await cell.js.key_value(BUCKET)
    except NotFoundError:
        return await cell.js.create_key_value(KeyValueConfig(bucket=BUCKET))


def _subject(cell: Cell, session: str, step: str) -> str:
    return f"$KV.{BUCKET}.{cell.name}.{session}.{step}"
