"""`lantern sessions export` and `import`: a session's record as a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, TextIO

import typer

from lantern.command_options import (
    NatsUrl,
    SessionName,
    settings_with,
    with_bus,
    with_session_bus,
)
from lantern.file_writing import write_file
from lantern.nats.session_index import SessionIndex
from lantern.views.text_view import one_line
from mesh.errors import InputError
from mesh.nats.subjects import checked_session
from mesh.record import archive
from mesh.record.bus import Bus

LONGEST_LINE = 32 << 20
"""Characters; a message has at most 8 MB."""

LONGEST_FILE = 4 << 30
"""Characters; 10,000 steps take 0.1 GB."""


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
    """Read a session's record from a file: the whole of it, or nothing."""
    try:
        with _opened(file) as lines:
            session, cell, kept = archive.read_archive(_limited(lines))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(
            f"Cannot read {file} ({why}). Give a file that `lantern sessions export` made."
        ) from error

    async def work(bus: Bus) -> None:
        await archive.store(bus.writer, session, kept)
        await SessionIndex(settings_with(nats)).note(bus, session)

    with_bus(nats, cell, work, records=True)
    print(f"imported {session}: {len(kept)} messages")
    return 0


def _opened(file: Path) -> AbstractContextManager[TextIO]:
    """The file, or standard input.

    Raises:
        InputError: reading it might never end.
    """
    if str(file) == "-":
        return nullcontext(sys.stdin)
    if file.exists() and not file.is_file() and not file.is_dir():
        raise InputError(f"{file} is no ordinary file. Pipe it: `... | lantern sessions import -`.")
    return file.open(encoding="utf-8", newline="\n")


def _limited(lines: TextIO) -> Iterator[str]:
    """The lines without their ends, as long as they can be those of an export.

    Raises:
        ArchiveUnreadable: a line is too long, or all of them are.
    """
    total = 0
    while line := lines.readline(LONGEST_LINE):
        total += len(line)
        if len(line) == LONGEST_LINE or total > LONGEST_FILE:
            what = f"a line of more than {LONGEST_LINE >> 20} MB" if total <= LONGEST_FILE else "too much"
            raise archive.ArchiveUnreadable(
                f"This is not an export of a session: it has {what}. Make one with `lantern sessions export`."
            )
        yield line.removesuffix("\n")
