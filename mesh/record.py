"""A session's record: one totally ordered filter of the one stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, RawStreamMsg
from nats.js.errors import NotFoundError

from mesh.bus import Bus
from mesh.codec import Undecodable, decode
from mesh.errors import SessionUnknown
from mesh.subjects import ROOT, STREAM, Place, place_of, record_of, wildcard
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken

QUIET = 5.0
"""Seconds without a message after which `follow` says so."""

AT_ONCE = 64
"""Direct reads under way at the same time when a service catches up."""


@dataclass(frozen=True, slots=True)
class Found:
    """A session that the stream knows."""

    id: str
    cell: str
    envelope: Envelope

    @property
    def started(self) -> SessionStarted:
        """How it was started."""
        assert isinstance(self.envelope.body, SessionStarted)
        return self.envelope.body


async def started(bus: Bus, session: str) -> SessionStarted | None:
    """How a session of the bus's cell was started; None: never."""
    envelope = await bus.read(Place(bus.cell, session, Kind.STARTED, 0))
    return envelope.body if envelope and isinstance(envelope.body, SessionStarted) else None


async def steps(bus: Bus, session: str, first: int, last: int) -> AsyncIterator[StepTaken]:
    """The recorded steps `first` to `last`, in order, up to the first that is not there."""
    for start in range(first, last + 1, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, last + 1))
        places = [Place(bus.cell, session, Kind.STEP, number) for number in numbers]
        for envelope in await asyncio.gather(*map(bus.read, places)):
            if envelope is None or not isinstance(envelope.body, StepTaken):
                return
            yield envelope.body


async def raw_messages(bus: Bus, subject: str, after: int = 0) -> AsyncIterator[RawStreamMsg]:
    """Everything stored under a subject (wildcards allowed), in the stream's order."""
    sequence = after + 1
    while True:
        try:
            held = await bus.jsm.get_msg(STREAM, seq=sequence, subject=subject, next=True, direct=True)
        except NotFoundError:
            return
        yield held
        sequence = (held.seq or sequence) + 1


async def messages(bus: Bus, session: str) -> AsyncIterator[Envelope]:
    """The typed messages of a session, in order; what cannot be decoded is left out (see dead letters)."""
    async for held in raw_messages(bus, record_of(bus.cell, session)):
        if place_of(held.subject or "") is not None:
            try:
                yield decode(held.subject or "", held.data or b"")
            except Undecodable:
                continue


async def sessions(bus: Bus, cell: str = "*") -> list[Found]:
    """Every session that was started, oldest first."""
    found = []
    async for held in raw_messages(bus, f"{ROOT}.{cell}.*.{Kind.STARTED}.*"):
        try:
            envelope = decode(held.subject or "", held.data or b"")
        except Undecodable:
            continue
        found.append(Found(envelope.session, envelope.cell, envelope))
    return found


async def newest(bus: Bus, cell: str, session: str, kind: Kind) -> Envelope | None:
    """The message of a kind that a session got last; None: none yet."""
    try:
        held = await bus.jsm.get_last_msg(STREAM, wildcard(cell, session, kind))
        return decode(held.subject or "", held.data or b"")
    except (NotFoundError, Undecodable):
        return None


async def find(bus: Bus, session: str) -> Found:
    """A session by its id, in whichever cell it is.

    Raises:
        SessionUnknown: there is none.
    """
    for found in await sessions(bus):
        if found.id == session:
            return found
    raise SessionUnknown(session)


async def delete(bus: Bus, session: str) -> None:
    """Remove a session's whole record from the bus's cell."""
    await bus.jsm.purge_stream(STREAM, subject=record_of(bus.cell, session))


async def follow(bus: Bus, session: str, kinds: Collection[Kind]) -> AsyncIterator[Envelope | None]:
    """The messages of a session from its start, as they come, until it has ended (which is told always).

    Yields None whenever nothing has come for `QUIET` seconds, so that the caller may look why.
    """
    subscription = await bus.js.subscribe(
        record_of(bus.cell, session),
        stream=STREAM,
        ordered_consumer=True,
        idle_heartbeat=0.5,
        config=ConsumerConfig(
            inactive_threshold=30,
            filter_subjects=[wildcard(bus.cell, session, kind) for kind in {*kinds, Kind.ENDED}],
        ),
    )
    try:
        while True:
            envelope = await _next(subscription)
            yield envelope
            if envelope is not None and envelope.kind is Kind.ENDED:
                return
    finally:
        await subscription.unsubscribe()


async def _next(subscription: JetStreamContext.PushSubscription) -> Envelope | None:
    while True:
        try:
            message = await subscription.next_msg(timeout=QUIET)
        except TimeoutError:
            return None
        if place_of(message.subject) is not None:
            try:
                return decode(message.subject, message.data)
            except Undecodable:
                continue
