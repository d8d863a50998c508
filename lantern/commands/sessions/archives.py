"""`lantern sessions export` and `import`: a session's record as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, SessionName, with_bus, with_session_bus, write_file
from lantern.views.text_view import one_line
from mesh.errors import InputError
from mesh.nats.subjects import checked_session
from mesh.record import archive
from mesh.record.bus import Bus


def export_command(
    session: SessionName,
    file: Annotated[Path | None, typer.Argument(help="Where to; '-' for standard output.")] = None,
    nats: NatsUrl = None,
) -> int:
    """Write a session's record to a file (the story itself is not in it)."""
    path = file or Path(f"{checked_session(session)}.jsonl")

    async def work(bus: Bus) -> list[str]:
        return [line async for line in archive.export(bus.cell, session)]

    text = "".join(f"{line}\n" for line in with_session_bus(nats, session, work))
    if str(path) == "-":
        print(text, end="")
        return 0
    write_file(path, text)
    print(f"exported to {one_line(str(path))}")
    return 0


def import_command(
    file: Annotated[Path, typer.Argument(help="A file that `export` made; '-' for standard input.")],
    nats: NatsUrl = None,
) -> int:
    """Read a session's record from a file."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(
            f"Cannot read {file} ({why}). Give a file that `lantern sessions export` made."
        ) from error
    session, cell, kept = archive.read_archive(text.splitlines())
    with_bus(nats, cell, lambda bus: archive.store(bus.writer, session, kept))
    print(f"imported {session}: {len(kept)} messages")
    return 0
