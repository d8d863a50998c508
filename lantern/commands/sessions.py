"""`lantern sessions`: list, show, verify, export, import and delete what was played."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from folds.text.reader import TextReader
from lantern.inspect.verify import lines_about, verify
from lantern.options import (
    AsJson,
    NatsUrl,
    SessionName,
    on_the_bus,
    on_the_bus_of,
    settings_with,
    write_to,
)
from lantern.play.summary import Summary
from lantern.play.wishes import load_story
from lantern.views.show import lines_of, one_line
from mesh.errors import InputError
from mesh.nats.subjects import checked_cell, checked_session
from mesh.observability.spans import recorded
from mesh.observability.tracing import send_all, tracing
from mesh.record import archive
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope

OneCell = Annotated[str, typer.Option("--cell", envvar="LANTERN_CELL", help="Of one cell only; * for all.")]

app = typer.Typer(help="List, show, verify, export, import and delete sessions.", no_args_is_help=True)


@app.command("list")
def list_command(nats: NatsUrl = None, cell: OneCell = "*", as_json: AsJson = False) -> int:
    """List all sessions, oldest first."""
    where = "*" if cell == "*" else checked_cell(cell)

    async def work(bus: Bus) -> list[Summary]:
        return [await _summary(bus, found) for found in await bus.reader.sessions(where)]

    summaries = on_the_bus(nats, "main", work)
    if as_json:
        print(json.dumps([_listed(summary) for summary in summaries]))
        return 0
    for summary in summaries:
        print(_line(summary))
    if not summaries:
        print("no sessions yet: `lantern play` plays one", file=sys.stderr)
    return 0


@app.command("show")
def show_command(session: SessionName, nats: NatsUrl = None, as_json: AsJson = False) -> int:
    """Show a session, message by message."""

    async def work(bus: Bus) -> Summary:
        summary, by_text = Summary(session, bus.cell.name), TextReader()
        async for envelope in bus.reader.messages(session):
            summary.after(envelope)
            for line in [] if as_json else lines_of(envelope, by_text):
                print(line)
        return summary

    summary = on_the_bus_of(nats, session, work)
    print(json.dumps(summary.as_json()) if as_json else "\n".join([_line(summary), *summary.lines()]))
    return 0


@app.command("verify")
def verify_command(
    session: SessionName,
    story: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Its story, where the store has it not; it is kept there."),
    ] = None,
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Check a session's record, execute its actions again and compare; exit code 1 if anything differs."""
    given = load_story(story) if story is not None else None
    found = on_the_bus(nats, "main", lambda bus: verify(bus, session, given))
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        for line in lines_about(found):
            print(line)
    return 0 if found.ok else 1


@app.command("export")
def export_command(
    session: SessionName,
    file: Annotated[Path | None, typer.Argument(help="Where to; '-' for standard output.")] = None,
    nats: NatsUrl = None,
) -> int:
    """Write a session's record to a file (the story itself is not in it)."""
    path = file or Path(f"{checked_session(session)}.jsonl")

    async def work(bus: Bus) -> list[str]:
        return [line async for line in archive.export(bus.cell, session)]

    text = "".join(f"{line}\n" for line in on_the_bus_of(nats, session, work))
    if str(path) == "-":
        print(text, end="")
        return 0
    write_to(path, text)
    print(f"exported to {one_line(str(path))}")
    return 0


@app.command("import")
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
    on_the_bus(nats, cell, lambda bus: archive.store(bus.writer, session, kept))
    print(f"imported {session}: {len(kept)} messages")
    return 0


@app.command("trace")
def trace_command(session: SessionName, nats: NatsUrl = None) -> int:
    """Send a session's record as OpenTelemetry traces, one for each step."""

    async def work(bus: Bus) -> int:
        messages = [envelope async for envelope in bus.reader.messages(session)]
        async with tracing() as traces:
            if traces is None:
                raise InputError("Nobody takes traces. Set OTEL_EXPORTER_OTLP_ENDPOINT to where they go.")
            return await asyncio.to_thread(send_all, recorded(messages), traces)

    print(f"sent {on_the_bus_of(nats, session, work)} spans of {session}")
    return 0


@app.command("delete")
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
        if (await _summary(bus, found)).ended is None and not force:
            raise InputError(
                f"The session {session} has not ended and may be being played. Give --force to delete it."
            )
        await bus.writer.delete(session)
        _forget_views(settings.home / "memory" / bus.cell.name, session)

    on_the_bus(nats, "main", work)
    print(f"deleted {session}")
    return 0


def _forget_views(directory: Path, session: str) -> None:
    for path in directory.glob(f"{session}.kuzu*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


async def _summary(bus: Bus, found: Envelope) -> Summary:
    """How a session stands, from its first and last messages."""
    summary = Summary(found.session, found.cell).after(found)
    reader = bus.in_cell(found.cell).reader
    step = await reader.newest(found.session, Kind.STEP)
    end = await reader.end_of(found.session)
    for newest in filter(None, (step, end)):
        summary.after(newest)
    return summary


def _listed(summary: Summary) -> dict[str, Any]:
    """What the first and last messages of a session tell; the rest is for `show`."""
    counts = summary.as_json()
    told = ("session", "game", "policy", "seed", "steps", "episodes", "score", "max_score", "ended")
    return {"cell": summary.cell, **{key: counts[key] for key in told}}


def _line(summary: Summary) -> str:
    counts = summary.as_json()
    score = "?" if counts["score"] is None else counts["score"]
    of = "?" if counts["max_score"] is None else counts["max_score"]
    where = "" if summary.cell == "main" else f" cell {summary.cell}"
    return (
        f"{summary.session}  {one_line(str(counts['game']))}  {counts['policy']}  seed {counts['seed']}  "
        f"{counts['steps']} steps  score {score}/{of}  {counts['ended']}{where}"
    )
