"""A session's record: one totally ordered filter of the one stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from mesh import snapshots
from mesh.batches import Batches
from mesh.bus import Bus, Outcome
from mesh.codec import Undecodable, decode
from mesh.errors import BusUnreachable, SessionUnknown
from mesh.subjects import REPLAYS, ROOT, STREAM, Place, place_of, record_of, shadow_cell, wildcard
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted, StepTaken

AWAY = 1.0
"""Seconds after which `follow` says again that the server is away."""

QUIET = 5.0
"""Seconds without a message after which `follow` says so."""

LOOK = 0.02
"""Seconds between two looks of `follow` at what has come."""

MOST_STEPS = 1_000_000
"""More than any session has."""

AT_ONCE = 64
"""Direct reads under way at the same time when a service catches up."""

SHARED_FOR = 1.0
"""Seconds for which what was read for one service serves the others; too short to outlive a deletion."""


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
    """How a session of the bus's cell was started, or resumed last; None: never."""
    envelope = await newest(bus, bus.cell, session, Kind.STARTED)
    return envelope.body if envelope and isinstance(envelope.body, SessionStarted) else None


async def last_step(bus: Bus, session: str) -> StepTaken | None:
    """The last recorded step; None: there is none."""
    envelope = await newest(bus, bus.cell, session, Kind.STEP)
    if envelope is not None and isinstance(envelope.body, StepTaken):
        return envelope.body
    last = None  # none, or one that cannot be decoded: then those before it count
    async for step in steps(bus, session, 0, MOST_STEPS):
        last = step
    return last


async def end_of(bus: Bus, cell: str, session: str) -> Envelope | None:
    """The end of a session; None: it has not ended, or it was resumed since."""
    ended = await _newest_raw(bus, cell, session, Kind.ENDED)
    begun = await _newest_raw(bus, cell, session, Kind.STARTED)
    if ended is None or (begun is not None and (begun.seq or 0) > (ended.seq or 0)):
        return None
    return _decoded(ended)


async def end(bus: Bus, session: str, ended: SessionEnded, cause: str | None = None) -> Outcome:
    """Publish a session's end. One at the same step, from before the session was resumed, makes room."""
    outcome = await bus.publish(session, ended, cause)
    if outcome is Outcome.STORED or await end_of(bus, bus.cell, session) is not None:
        return outcome
    await bus.clear(Place(bus.cell, session, Kind.ENDED, ended.step))
    return await bus.publish(session, ended, cause)


async def begin_again(bus: Bus, session: str, resumed: SessionStarted) -> None:
    """Publish that a session is resumed. An earlier resume at the same step makes room."""
    if await bus.publish(session, resumed) is not Outcome.STORED:
        await bus.clear(Place(bus.cell, session, Kind.STARTED, resumed.step))
        await bus.publish(session, resumed)


async def of_kind(bus: Bus, session: str, kind: Kind) -> AsyncIterator[Envelope]:
    """Every message of a kind that a service publishes under its name, in no order; its own among them."""
    places = [place_of(subject) for subject in await bus.subjects(wildcard(bus.cell, session, kind))]
    named = [place for place in places if place is not None]
    for start in range(0, len(named), AT_ONCE):
        reads = (
            bus.read_own(place) if place.service == bus.me.name else bus.read(place)
            for place in named[start : start + AT_ONCE]
        )
        for envelope in await asyncio.gather(*reads):
            if envelope is not None:
                yield envelope


async def steps(bus: Bus, session: str, first: int, last: int) -> AsyncIterator[StepTaken]:
    """The recorded steps `first` to `last`, in order, up to the first that is not there."""
    for start in range(first, last + 1, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, last + 1))
        found = await _shared(bus, session, numbers)
        for step in found:
            yield step
        if len(found) < len(numbers):
            return


async def _shared(bus: Bus, session: str, numbers: range) -> list[StepTaken]:
    """The steps of these numbers, up to the first that is not there.

    The services of one process catch up side by side: what one of them reads, the others need in a moment.
    """
    key = (bus.cell, session, numbers)
    reading = bus.reading.get(key)
    if reading is None:
        reading = bus.reading[key] = asyncio.ensure_future(_read(bus, session, numbers))
        asyncio.get_running_loop().call_later(SHARED_FOR, bus.reading.pop, key, None)
    found: list[StepTaken] = []
    try:
        found = await asyncio.shield(reading)
    finally:
        if len(found) < len(numbers):
            bus.reading.pop(key, None)
    await asyncio.sleep(0)  # the others' turn
    return found


async def _read(bus: Bus, session: str, numbers: range) -> list[StepTaken]:
    places = [Place(bus.cell, session, Kind.STEP, number) for number in numbers]
    found = []
    for envelope in await asyncio.gather(*map(bus.read, places)):
        if envelope is None or not isinstance(envelope.body, StepTaken):
            break
        found.append(envelope.body)
    return found


async def fragments(bus: Bus, session: str, step: int) -> list[Envelope]:
    """What the sub-agents have said about a step so far; one of the permitted users reads the last alone."""
    subject = f"{ROOT}.{bus.cell}.{session}.{Kind.FRAGMENT}.{step}.*"
    if bus.events.user:
        with suppress(NotFoundError):
            last = _decoded(await bus.jsm.get_msg(STREAM, subject=subject, direct=True))
            return [last] if last else []
        return []
    said = [_decoded(held) async for held in raw_messages(bus, subject)]
    return [envelope for envelope in said if envelope is not None]


async def raw_messages(bus: Bus, subject: str, after: int = 0) -> AsyncIterator[RawStreamMsg]:
    """Everything stored under a subject (wildcards allowed), in the stream's order.

    Raises:
        BusUnreachable: the server does not answer.
    """
    async with Batches(bus, subject, after) as batches:
        while batches.more:
            for held in await batches.next():
                yield held


async def messages(bus: Bus, session: str) -> AsyncIterator[Envelope]:
    """The typed messages of a session, in order; what cannot be decoded is left out (see dead letters)."""
    async for held in raw_messages(bus, record_of(bus.cell, session)):
        if place_of(held.subject or "") is not None:
            try:
                yield decode(held.subject or "", held.data or b"")
            except Undecodable:
                continue


async def sessions(bus: Bus, cell: str = "*", *, replays: bool = False) -> list[Found]:
    """Every session that was started, oldest first; or what is being replayed of them."""
    found: dict[tuple[str, str], Found] = {}
    async for held in raw_messages(bus, f"{ROOT}.{cell}.*.{Kind.STARTED}.*"):
        envelope = _decoded(held)
        if envelope is not None and envelope.cell.startswith(REPLAYS) == replays:
            found[envelope.cell, envelope.session] = Found(envelope.session, envelope.cell, envelope)
    return list(found.values())


async def newest(bus: Bus, cell: str, session: str, kind: Kind) -> Envelope | None:
    """The message of a kind that a session got last; None: none yet, or one that cannot be decoded."""
    held = await _newest_raw(bus, cell, session, kind)
    return _decoded(held) if held else None


async def find(bus: Bus, session: str) -> Found:
    """A session by its id: in the bus's cell, else in whichever cell it is.

    Raises:
        SessionUnknown: there is none.
    """
    named = [found for found in await sessions(bus) if found.id == session]
    if not named:
        raise SessionUnknown(session)
    return min(named, key=lambda found: found.cell != bus.cell)


async def delete(bus: Bus, session: str) -> None:
    """Remove a session's whole record from the bus's cell, what shadows said of it, and its snapshots."""
    await snapshots.delete(bus, session)
    for cell in (bus.cell, shadow_cell(bus.cell)):
        await bus.jsm.purge_stream(STREAM, subject=record_of(cell, session))


async def follow(
    bus: Bus, session: str, kinds: Collection[Kind], after: int = 0
) -> AsyncIterator[Envelope | None]:
    """The messages of a session from its start, as they come, until it has ended (which is told always).

    `after`: only what the stream keeps after that sequence number (see `sequence`). An end after which the
    session was resumed is none. Yields None whenever nothing has come for `QUIET` seconds, and again and
    again while the server is away, so that the caller may look why; then it goes on where it was.
    """
    kinds, quiet_since = {*kinds, Kind.ENDED}, time.monotonic()
    async with Batches(bus, record_of(bus.cell, session), after) as batches:
        while True:
            for envelope in await _new(batches, kinds):
                yield envelope
                quiet_since = time.monotonic()
                if envelope.kind is Kind.ENDED and await _is_the_end(bus, session, envelope):
                    return
            away = not bus.events.there.is_set()
            if away or time.monotonic() - quiet_since > QUIET:
                yield None
                quiet_since = time.monotonic()
            await (_soon(bus.events.there.wait(), AWAY) if away else asyncio.sleep(LOOK))


async def _new(batches: Batches, kinds: Collection[Kind]) -> list[Envelope]:
    """What has come, of these kinds; while the server is away, nothing comes."""
    coming, lost = asyncio.ensure_future(batches.next()), batches.bus.events.lost
    first: set[asyncio.Future[Any]] = {coming, lost}
    try:
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        found = coming.result() if coming.done() else ()
    except BusUnreachable:
        return []
    finally:
        coming.cancel()
    wanted = []
    for held in found:
        place = place_of(held.subject or "")
        if place is not None and place.kind in kinds and (envelope := _decoded(held)) is not None:
            wanted.append(envelope)
    return wanted


async def _is_the_end(bus: Bus, session: str, ended: Envelope) -> bool:
    end = await end_of(bus, bus.cell, session)
    return end is not None and end.step == ended.step


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


def _decoded(held: RawStreamMsg) -> Envelope | None:
    try:
        return decode(held.subject or "", held.data or b"")
    except Undecodable:
        return None


async def _soon(event: Awaitable[object], seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event
