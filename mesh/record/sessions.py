"""The record: which sessions it has, and what is told of each (a session is one ordered filter of it)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from mesh.errors import SessionUnknown
from mesh.nats.codec import message_in
from mesh.nats.subjects import (
    REPLAYS,
    ROOT,
    STREAM,
    Address,
    address_of,
    record_of,
    shadow_cell,
    wildcard,
)
from mesh.record import snapshots
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus, PublishOutcome
from mesh.record.steps import AT_ONCE, steps_from
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted, StepTaken


async def started(bus: Bus, session: str) -> SessionStarted | None:
    """How a session of the bus's cell was started, or resumed last; None: never."""
    envelope = await newest(bus, bus.cell, session, Kind.STARTED)
    return envelope.body if envelope and isinstance(envelope.body, SessionStarted) else None


async def last_step(bus: Bus, session: str) -> StepTaken | None:
    """The last recorded step; None: there is none."""
    envelope = await newest(bus, bus.cell, session, Kind.STEP)
    if envelope is not None and isinstance(envelope.body, StepTaken):
        return envelope.body
    last = None  # none, or one that cannot be decoded: then those before it count
    async for step in steps_from(bus, session, 0):
        last = step
    return last


async def end_of(bus: Bus, cell: str, session: str) -> Envelope | None:
    """The end of a session; None: it has not ended, or it was resumed since."""
    ended = await _newest_raw(bus, cell, session, Kind.ENDED)
    begun = await _newest_raw(bus, cell, session, Kind.STARTED)
    if ended is None or (begun is not None and (begun.seq or 0) > (ended.seq or 0)):
        return None
    return message_in(ended.subject, ended.data)


async def end(bus: Bus, session: str, ended: SessionEnded, cause: str | None = None) -> PublishOutcome:
    """Publish a session's end. One at the same step, from before the session was resumed, makes room."""
    outcome = await bus.publish(session, ended, cause)
    if outcome is PublishOutcome.STORED or await end_of(bus, bus.cell, session) is not None:
        return outcome
    await bus.clear(Address(bus.cell, session, Kind.ENDED, ended.step))
    return await bus.publish(session, ended, cause)


async def begin_again(bus: Bus, session: str, resumed: SessionStarted) -> None:
    """Publish that a session is resumed. An earlier resume at the same step makes room."""
    if await bus.publish(session, resumed) is not PublishOutcome.STORED:
        await bus.clear(Address(bus.cell, session, Kind.STARTED, resumed.step))
        await bus.publish(session, resumed)


async def of_kind(bus: Bus, session: str, kind: Kind) -> AsyncIterator[Envelope]:
    """Every message of a kind that a service publishes under its name, in no order; its own among them."""
    places = [address_of(subject) for subject in await bus.subjects(wildcard(bus.cell, session, kind))]
    named = [place for place in places if place is not None]
    for start in range(0, len(named), AT_ONCE):
        reads = (
            bus.read_own(place) if place.service == bus.me.name else bus.read(place)
            for place in named[start : start + AT_ONCE]
        )
        for envelope in await asyncio.gather(*reads):
            if envelope is not None:
                yield envelope


async def fragments(bus: Bus, session: str, step: int) -> list[Envelope]:
    """What the sub-agents have said about a step so far; one of the permitted users reads the last alone."""
    subject = f"{ROOT}.{bus.cell}.{session}.{Kind.FRAGMENT}.{step}.*"
    if bus.events.user:
        with suppress(NotFoundError):
            held = await bus.jsm.get_msg(STREAM, subject=subject, direct=True)
            last = message_in(held.subject, held.data)
            return [last] if last else []
        return []
    said = [message_in(held.subject, held.data) async for held in raw_messages(bus, subject)]
    return [envelope for envelope in said if envelope is not None]


async def messages(bus: Bus, session: str) -> AsyncIterator[Envelope]:
    """The typed messages of a session, in order; what cannot be decoded is left out (see dead letters)."""
    async for held in raw_messages(bus, record_of(bus.cell, session)):
        if (envelope := message_in(held.subject, held.data)) is not None:
            yield envelope


async def sessions(bus: Bus, cell: str = "*", *, replays: bool = False) -> list[Envelope]:
    """The newest start of every session, in the order in which they began; or of what is being replayed."""
    found: dict[tuple[str, str], Envelope] = {}
    async for held in raw_messages(bus, f"{ROOT}.{cell}.*.{Kind.STARTED}.*"):
        envelope = message_in(held.subject, held.data)
        if envelope is not None and envelope.cell.startswith(REPLAYS) == replays:
            found[envelope.cell, envelope.session] = envelope
    return list(found.values())


async def newest(bus: Bus, cell: str, session: str, kind: Kind) -> Envelope | None:
    """The message of a kind that a session got last; None: none yet, or one that cannot be decoded."""
    held = await _newest_raw(bus, cell, session, kind)
    return message_in(held.subject, held.data) if held else None


async def find(bus: Bus, session: str) -> Envelope:
    """The start of a session by its id: in the bus's cell, else in whichever cell it is.

    Raises:
        SessionUnknown: there is none.
    """
    named = [found for found in await sessions(bus) if found.session == session]
    if not named:
        raise SessionUnknown(session)
    return min(named, key=lambda found: found.cell != bus.cell)


async def delete(bus: Bus, session: str) -> None:
    """Remove a session's whole record from the bus's cell, what shadows said of it, and its snapshots."""
    await snapshots.delete(bus, session)
    for cell in (bus.cell, shadow_cell(bus.cell)):
        await bus.jsm.purge_stream(STREAM, subject=record_of(cell, session))


async def sequence(bus: Bus) -> int:
    """The stream's last sequence number so far."""
    return (await bus.jsm.stream_info(STREAM)).state.last_seq


async def begun_after(bus: Bus, session: str, number: int) -> bool:
    """Whether the session was started or resumed after the stream had so many messages (see `sequence`)."""
    begun = await _newest_raw(bus, bus.cell, session, Kind.STARTED)
    return begun is not None and (begun.seq or 0) > number


async def _newest_raw(bus: Bus, cell: str, session: str, kind: Kind) -> RawStreamMsg | None:
    try:
        return await bus.jsm.get_msg(STREAM, subject=wildcard(cell, session, kind), direct=True)
    except NotFoundError:
        return None
