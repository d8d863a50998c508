"""`lantern sessions delete`: delete a record and every view of it."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, SessionName, settings_with, with_bus
from lantern.nats.session_index import SessionIndex
from lantern.play.session_requests import stop_session
from lantern.recorded.session_list import newest_summary
from mesh.errors import InputError, NobodyAnswers, SessionUnknown
from mesh.nats.subjects import record_of, wildcard
from mesh.observability.liveness import who_serves
from mesh.record.bus import Bus
from mesh.runner.states import state_cache
from schemas.base import Kind
from schemas.game import EndReason
from schemas.mesh import ServiceAlive, ServiceState

ENDED_WITHIN = 10.0
LET_GO_WITHIN = 10.0
"""Seconds that the step under way and the services that play it may take before it is deleted anyway."""


def delete_command(
    session: SessionName,
    nats: NatsUrl = None,
    force: Annotated[bool, typer.Option("--force", help="Even if it has not ended.")] = False,
) -> int:
    """Delete a session: its record and every view of it. One that is played ends (with --force)."""
    settings = settings_with(nats)

    async def work(bus: Bus) -> None:
        index = SessionIndex(settings)
        try:
            found = await bus.reader.find(session)
        except SessionUnknown:
            lost = index.forget(session)
            for cell in lost:
                await bus.in_cell(cell).writer.delete(session)  # what is left of it
                _forget_views(settings.home, cell, session)
            if not lost:
                raise
            return
        bus = bus.in_cell(found.cell)
        running = (await newest_summary(bus, found)).ended is None
        if running:
            if not force:
                raise InputError(
                    f"The session {session} has not ended and may be being played. Give --force to delete it."
                )
            await bus.writer.delete_shadows(session)  # who may delete nothing ends nothing
            await _end(session, bus)
        await bus.writer.delete(session)
        while running and await _is_said_still(session, bus):
            await bus.writer.delete(session)
        _forget_views(settings.home, bus.cell.name, session)
        index.forget(session, bus.cell.name)

    with_bus(nats, "main", work)
    print(f"deleted {session}")
    return 0


async def _end(session: str, bus: Bus) -> None:
    """End a session that may be being played, and wait (not for ever) until nobody has it any more."""
    with suppress(NobodyAnswers, TimeoutError):
        async with asyncio.timeout(ENDED_WITHIN):
            await stop_session(session, bus, EndReason.DELETED)
    ended = await bus.reader.raw(wildcard(bus.cell.name, session, Kind.ENDED))
    until = time.monotonic() + LET_GO_WITHIN
    while ended is not None and time.monotonic() < until:
        live = await who_serves(bus.cell)
        if not any(_has_it(alive, session, ended.seq or 0) for alive in live):
            break


async def _is_said_still(session: str, bus: Bus) -> bool:
    """Whether what was on its way has come into the record since, while the services were asked."""
    await who_serves(bus.cell)
    return await bus.reader.holds(record_of(bus.cell.name, session))


def _has_it(alive: ServiceAlive, session: str, end: int) -> bool:
    """Whether an instance may still work on a session whose end has the sequence number `end`."""
    if alive.scope == "*":
        return alive.state is ServiceState.READY and alive.floor < end
    return alive.scope == session


def _forget_views(home: Path, cell: str, session: str) -> None:
    state_cache.delete(home, cell, session)
    for path in (home / "memory" / cell / "graph" / "session").glob(f"{session}.*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
