"""The consumers of the stream, however many the tests before have left on the server that they share."""

from __future__ import annotations

from nats.js.api import ConsumerInfo

from mesh.nats.subjects import STREAM
from mesh.record.bus import Bus


async def every_consumer(bus: Bus) -> list[ConsumerInfo]:
    """All of them; the server gives at most 256 at once."""
    found: list[ConsumerInfo] = []
    while page := await bus.cell.jsm.consumers_info(STREAM, offset=len(found)):
        found += page
    return found
