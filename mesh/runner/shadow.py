"""A shadow: an instance whose messages are stored beside the record and compared with the live service's."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import structlog

from mesh.nats.codec import envelope_address
from mesh.nats.subjects import shadow_cell
from mesh.record.bus import Bus
from mesh.record.comparison import differences
from mesh.record.writer import PublishOutcome
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.mesh import ShadowCounts

LOOKS = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0)
"""Seconds before each check whether the live service has published its message."""

log = structlog.get_logger()


class Shadow:
    """Publishes the messages of one instance beside the record of the bus's cell."""

    def __init__(self, bus: Bus, tasks: asyncio.TaskGroup) -> None:
        self.bus, self._tasks = bus, tasks
        self.beside = bus.in_cell(shadow_cell(bus.cell.name))
        self.counts = ShadowCounts()

    async def publish(self, session: str, message: Message, cause: str | None = None) -> PublishOutcome:
        """Store a message beside the record, and compare it once the live service has published its own."""
        outcome = await self.beside.writer.publish(session, message, cause)
        self._tasks.create_task(self._compare(session, message))
        return outcome

    async def _compare(self, session: str, message: Message) -> None:
        live = await self._live_message(session, message)
        if live is None:
            self._count("alone")
        elif live.body == message:
            self._count("same")
        else:
            self._count("different")
            own = self.beside.writer.envelope(session, message, None)
            first = differences(self.bus.cell.me.name, message.kind, live, own)[0]
            fields = {"session": session, "step": message.step, "live_version": live.service.version}
            log.warning("shadow_differs", **fields, **asdict(first))

    async def _live_message(self, session: str, message: Message) -> Envelope | None:
        address = envelope_address(self.bus.writer.envelope(session, message, None))
        for pause in LOOKS:
            await asyncio.sleep(pause)
            if (live := await self.bus.reader.read(address)) is not None:
                return live
        return None

    def _count(self, name: str) -> None:
        self.counts = self.counts.model_copy(update={name: getattr(self.counts, name) + 1})
