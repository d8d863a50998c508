"""`lantern sessions list`: which sessions are recorded."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from lantern.command_options import AsJson, NatsUrl, with_bus
from lantern.play.summary import Summary
from mesh.nats.subjects import checked_cell
from mesh.printable import one_line
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope

OneCell = Annotated[str, typer.Option("--cell", envvar="LANTERN_CELL", help="Of one cell only; * for all.")]


def list_command(nats: NatsUrl = None, cell: OneCell = "*", as_json: AsJson = False) -> int:
    """List all sessions, oldest first."""
    where = "*" if cell == "*" else checked_cell(cell)

    async def work(bus: Bus) -> list[Summary]:
        return [await newest_summary(bus, found) for found in await bus.reader.sessions(where)]

    summaries = with_bus(nats, "main", work)
    if as_json:
        print(json.dumps([_listed(summary) for summary in summaries]))
        return 0
    for summary in summaries:
        print(summary_line(summary))
    if not summaries:
        print("no sessions yet: `lantern play` plays one", file=sys.stderr)
    return 0


async def newest_summary(bus: Bus, found: Envelope) -> Summary:
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


def summary_line(summary: Summary) -> str:
    """A session in one line."""
    counts = summary.as_json()
    score = "?" if counts["score"] is None else counts["score"]
    of = "?" if counts["max_score"] is None else counts["max_score"]
    where = "" if summary.cell == "main" else f" cell {summary.cell}"
    return (
        f"{summary.session}  {one_line(str(counts['game']))}  {counts['policy']}  seed {counts['seed']}  "
        f"{counts['steps']} steps  score {score}/{of}  {counts['ended']}{where}"
    )
