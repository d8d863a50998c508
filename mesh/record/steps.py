"""Reads recorded steps for services that catch up; the services of one process share the reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from mesh.nats.cell import Cell
from mesh.nats.codec import message_in
from mesh.nats.subjects import Address, subject_of
from mesh.record.batches import last_raw
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken

BATCH = 64
"""The number of concurrent direct reads."""

SHARED_FOR = 1.0
"""Seconds for which services share a read; short, so that they do not see a deleted session."""


async def read(cell: Cell, address: Address) -> Envelope | None:
    """The typed message at an address of the record, or None (also where it cannot be decoded)."""
    raw = await last_raw(cell, subject_of(address))
    return message_in(raw.subject, raw.data) if raw else None


@dataclass(frozen=True, slots=True)
class StepReads:
    """Reads in progress or just finished, by cell, session and steps: services share them."""

    _reads: dict[tuple[str, str, range], asyncio.Future[list[StepTaken]]] = field(default_factory=dict)

    async def steps(self, cell: Cell, session: str, first: int, last: int | None) -> AsyncIterator[StepTaken]:
        """The steps `first` to `last` (None: to the newest), in order, up to the first that is missing."""
        start = first
        while last is None or start <= last:
            end = start + BATCH if last is None else min(start + BATCH, last + 1)
            found = await self._shared(cell, session, range(start, end))
            for step in found:
                yield step
            if len(found) < end - start:
                return
            start = end

    async def _shared(self, cell: Cell, session: str, numbers: range) -> list[StepTaken]:
        """The steps of these numbers, up to the first that is missing."""
        key = (cell.name, session, numbers)
        reading = self._reads.get(key)
        if reading is None:
            reading = self._reads[key] = asyncio.ensure_future(_read_steps(cell, session, numbers))
            asyncio.get_running_loop().call_later(SHARED_FOR, self._reads.pop, key, None)
        found: list[StepTaken] = []
        try:
            found = await asyncio.shield(reading)
        finally:
            if len(found) < len(numbers):
                self._reads.pop(key, None)
        await asyncio.sleep(0)  # let the other services go on
        return found


async def _read_steps(cell: Cell, session: str, numbers: range) -> list[StepTaken]:
    addresses = [cell.address(session, Kind.STEP, number) for number in numbers]
    found = []
    for envelope in await asyncio.gather(*(read(cell, address) for address in addresses)):
        if envelope is None or not isinstance(envelope.body, StepTaken):
            break
        found.append(envelope.body)
    return found
