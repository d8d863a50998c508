"""`lantern sessions delete`: delete a record and every view of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, SessionName, settings_with, with_bus
from lantern.commands.sessions.listing import newest_summary
from mesh.errors import InputError
from mesh.record.bus import Bus


def delete_command(
    session: SessionName,
    nats: NatsUrl = None,
    force: Annotated[bool, typer.Option("--force", help="Even if it has not ended.")] = False,
) -> int:
    """Delete a session: its record and every view of it."""
    settings = settings_with(nats)

    async def work(bus: Bus) -> None:
        found = await bus.reader.find(session)
        bus = bus.in_cell(found.cell)
        if (await newest_summary(bus, found)).ended is None and not force:
            raise InputError(
                f"The session {session} has not ended and may be being played. Give --force to delete it."
            )
        await bus.writer.delete(session)
        _forget_views(settings.home / "memory" / bus.cell.name, session)

    with_bus(nats, "main", work)
    print(f"deleted {session}")
    return 0


def _forget_views(directory: Path, session: str) -> None:
    for path in directory.glob(f"{session}.kuzu*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
