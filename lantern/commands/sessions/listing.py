"""`lantern sessions list`: which sessions are recorded."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Annotated

import typer

from lantern.command_options import AsJson, NatsUrl, settings_with, with_bus
from lantern.invocation import as_typed
from lantern.play.summary import Summary
from lantern.recorded.session_list import STATES, ListedSession, listed_sessions, or_unknown
from mesh.errors import InputError
from mesh.nats.subjects import checked_cell
from mesh.printable import counted, one_line, printable
from mesh.record.bus import Bus

COLUMNS = ("session", "date", "story", "policy", "seed", "steps", "score", "state", "model", "parent", "cell")
AGES = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

OneCell = Annotated[str, typer.Option("--cell", envvar="LANTERN_CELL", help="Of one cell only; * for all.")]


def list_command(
    nats: NatsUrl = None,
    cell: OneCell = "*",
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help=f"Only these: {', '.join(STATES)}.")
    ] = None,
    story: Annotated[str | None, typer.Option(metavar="NAME", help="Only sessions of this story.")] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only sessions with this policy.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only sessions whose model's name contains this.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only sessions played since: 2026-11-20, or 30m, 12h, 7d, 2w ago."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """List all sessions, oldest first."""
    if state is not None and state not in STATES:
        raise InputError(f"--state cannot be {state!r}. Give one of: {', '.join(STATES)}.")
    where, oldest = ("*" if cell == "*" else checked_cell(cell)), _time_of(since) if since else None

    async def work(bus: Bus) -> list[ListedSession]:
        return await listed_sessions(bus, settings_with(nats), where)

    found = with_bus(nats, "main", work)
    kept = [
        each
        for each in found
        if state in (None, each.state)
        and (story is None or (each.summary.started and each.summary.started.game == _stem(story)))
        and (policy is None or (each.summary.started and each.summary.started.policy == policy))
        and (model is None or model in each.model)
        and (oldest is None or each.date >= oldest)
    ]
    if as_json:
        print(json.dumps([each.as_json() for each in kept]))
        return 0
    for line in _table([COLUMNS, *(each.row() for each in kept)]) if kept else ():
        print(line)
    for damage in filter(None, (each.damage for each in kept)):
        print(printable(f"lantern: {damage.line()}"), file=sys.stderr)
    if not kept:
        none = (
            f"none of {counted(len(found), 'session')} fits"
            if found
            else "no sessions yet: `lantern play` plays one"
        )
        print(as_typed(none), file=sys.stderr)
    return 0


def summary_line(summary: Summary) -> str:
    """A session in one line."""
    counts = summary.as_json()
    score, of = (or_unknown(counts[key]) for key in ("score", "max_score"))
    where = "" if summary.cell == "main" else f" cell {summary.cell}"
    return (
        f"{summary.session}  {one_line(str(counts['game']))}  {counts['policy']}  seed {counts['seed']}  "
        f"{counted(counts['steps'], 'step')}  score {score}/{of}  {counts['ended']}{where}"
    )


def _time_of(since: str) -> datetime:
    """Raises InputError for what is neither a date nor an age."""
    if age := re.fullmatch(r"(\d{1,4})([mhdw])", since):
        return datetime.now().astimezone() - timedelta(**{AGES[age[2]]: int(age[1])})
    try:
        return datetime.fromisoformat(since).astimezone()
    except ValueError:
        raise InputError(
            f"--since cannot be {since!r}. Give a date like 2026-11-20, or an age like 7d."
        ) from None


def _stem(story: str) -> str:
    return re.sub(r"\.z[1-8]$", "", story.rpartition("/")[2])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines with columns of equal width; a column that says the same of all, nothing, is left out."""
    shown = [n for n in range(len(COLUMNS)) if n < 8 or any(row[n] not in ("-", "main") for row in rows[1:])]
    widths = {n: max(len(row[n]) for row in rows) for n in shown}
    for row in rows:
        yield "  ".join(row[n].ljust(widths[n]) for n in shown).rstrip()
