"""A session's messages as they come, until it has ended; and all of them, step by step."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from typing import Any

from nats.js.api import RawStreamMsg

from mesh.errors import BusUnreachable
from mesh.nats.codec import message_in
from mesh.nats.subjects import address_of, record_of
from mesh.record.batches import Batches, raw_messages
from mesh.record.reader import RecordReader
from mesh.record.step_messages import StepMessages
from mesh.waiting import at_most
from schemas.base import Kind
from schemas.envelope import Envelope

AWAY = 1.0
"""Seconds between two None that `follow` yields while the server is away."""

QUIET = 5.0
"""Seconds without a message after which `follow` yields None."""

LOOK = 0.02
"""Seconds between two reads of `follow`."""


async def follow(
    reader: RecordReader, session: str, kinds: Collection[Kind], after: int = 0
) -> AsyncIterator[Envelope | None]:
    """Yield a session's messages of these kinds from its start, as they come, up to and with its end.

    `after`: only messages after that sequence number (see `RecordReader.sequence`). An end after which the
    session was resumed does not count. Yields None when nothing has come for `QUIET` seconds, and every
    `AWAY` seconds while the server is away, so that the caller can find out why; then it continues.
    """
    events = reader.cell.events
    kinds, quiet_since = {*kinds, Kind.ENDED}, time.monotonic()
    async with Batches(reader.cell, record_of(reader.cell.name, session), after) as batches:
        while True:
            for envelope in await _new(batches, kinds):
                yield envelope
                quiet_since = time.monotonic()
                if envelope.kind is Kind.ENDED and await _is_the_end(reader, session, envelope):
                    return
            away = not events.there.is_set()
            if away or time.monotonic() - quiet_since > QUIET:
                yield None
                quiet_since = time.monotonic()
            await (at_most(AWAY, events.there.wait()) if away else asyncio.sleep(LOOK))


async def _new(batches: Batches, kinds: Collection[Kind]) -> list[Envelope]:
    """The new messages of these kinds; none while the server is away."""
    coming, lost = asyncio.ensure_future(batches.next()), batches.cell.events.lost
    first: set[asyncio.Future[Any]] = {coming, lost}
    try:
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        found = coming.result() if coming.done() else ()
    except BusUnreachable:
        return []
    finally:
        coming.cancel()
    wanted = []
    for raw in found:
        address = address_of(raw.subject or "")
        if address is None or address.kind not in kinds:
            continue
        if (envelope := message_in(raw.subject, raw.data)) is not None:
            wanted.append(envelope)
    return wanted


async def _is_the_end(reader: RecordReader, session: str, ended: Envelope) -> bool:
    end = await reader.end_of(session)
    return end is not None and end.step == ended.step


async def walk(
    reader: RecordReader, session: str, first: int = 0, last: int | None = None
) -> AsyncIterator[StepMessages]:
    """The messages of a session of the reader's cell, step by step; before `first`, the step alone.

    A late message belongs to the step that it is about, so the whole record is read before the first step is
    yielded. Messages are decoded as they are yielded; those that cannot be decoded are left out.
    """
    raw: dict[int, list[RawStreamMsg]] = {}
    async for each in raw_messages(reader.cell, record_of(reader.cell.name, session)):
        address = address_of(each.subject or "")
        if address is None or (last is not None and address.step > last):
            continue
        if address.step >= first or address.kind is Kind.STEP:
            raw.setdefault(address.step, []).append(each)
    for number in sorted(raw):
        messages = (message_in(each.subject, each.data) for each in raw.pop(number))
        yield StepMessages(number, tuple(message for message in messages if message is not None))
