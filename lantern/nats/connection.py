"""Connects a command to its NATS server: the one that is named, or the embedded one."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lantern.nats.disk_space import explain_full_disk
from lantern.nats.embedded_nats import embedded_nats, running_nats
from mesh.nats.cell import PATIENCE
from mesh.nats.subjects import checked_service
from mesh.observability.tracing import Traces
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.envelope import ServiceRef


def identity(name: str, version: str) -> ServiceRef:
    """A new instance's name for itself."""
    return ServiceRef(name=checked_service(name), version=version, instance=secrets.token_hex(4))


@asynccontextmanager
async def nats_url(settings: MeshSettings) -> AsyncIterator[str]:
    """The NATS server to use: the one that was named, or the embedded one."""
    named = settings.server()
    if named is not None:
        yield named
    else:
        async with explain_full_disk(settings.home), embedded_nats(settings.home) as url:
            yield url


def is_idle(settings: MeshSettings) -> bool:
    """Whether no server is named and the embedded one does not run: then nobody is live."""
    return settings.server() is None and running_nats(settings.home) is None


@asynccontextmanager
async def connection(
    url: str, cell: str, name: str = "lantern", patience: float = PATIENCE, traces: Traces | None = None
) -> AsyncIterator[Bus]:
    """A connection to a NATS server, with the stream in place; drained at the end of a block that succeeds.

    `patience`: seconds that a request waits for a server that has gone away.
    """
    bus = await Bus.connect(url, identity(name, "1.0.0"), cell, patience, traces)
    try:
        await bus.cell.provision()
        yield bus
    except BaseException:
        await bus.cell.break_off()
        raise
    await bus.cell.close()
