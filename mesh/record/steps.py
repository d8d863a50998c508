"""The recorded steps of a session, as a service that catches up reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from mesh.nats.subjects import Address
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.game import StepTaken

AT_ONCE = 64
"""Direct reads under way at the same time."""

SHARED_FOR = 1.0
"""Seconds for which what was read for one service serves the others; too short to outlive a deletion."""


async def steps_from(bus: Bus, session: str, first: int, last: int | None = None) -> AsyncIterator[StepTaken]:
    """The steps `first` to `last` (None: to the newest), in order, up to the first that is not there."""
    start = first
    while last is None or start <= last:
        end = start + AT_ONCE if last is None else min(start + AT_ONCE, last + 1)
        found = await _shared(bus, session, range(start, end))
        for step in found:
            yield step
        if len(found) < end - start:
            return
        start = end


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
    places = [Address(bus.cell, session, Kind.STEP, number) for number in numbers]
    found = []
    for envelope in await asyncio.gather(*map(bus.read, places)):
        if envelope is None or not isinstance(envelope.body, StepTaken):
            break
        found.append(envelope.body)
    return found
