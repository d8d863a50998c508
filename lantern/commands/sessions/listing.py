"""`lantern sessions list`: which sessions are recorded."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from lantern.command_options import AsJson, NatsUrl, settings_with, with_bus
from lantern.invocation import as_typed
from lantern.nats.session_index import SessionDamage, SessionIndex
from lantern.play.summary import Summary
from mesh.errors import InputError
from mesh.nats.codec import message_in
from mesh.nats.subjects import checked_cell, wildcard
from mesh.observability.liveness import who_serves
from mesh.printable import counted, one_line, printable
from mesh.record import archive
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import EndReason, StepTaken
from schemas.language_model import ModelAsked

RUNNING, STOPPED, INCOMPLETE = "running", EndReason.STOPPED.value, "incomplete"
DAMAGED, LOST = "damaged", "lost"
STATES = (RUNNING, *(reason.value for reason in EndReason), INCOMPLETE, DAMAGED, LOST)
COLUMNS = ("session", "date", "story", "policy", "seed", "steps", "score", "state", "model", "parent", "cell")
AGES = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

OneCell = Annotated[str, typer.Option("--cell", envvar="LANTERN_CELL", help="Of one cell only; * for all.")]


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session as it is listed."""

    summary: Summary
    date: datetime
    """When it was last started or resumed."""
    state: str
    """`budget`, `stopped` or `failed` once it has ended; `running`, as long as somebody plays it."""
    model: str
    damage: SessionDamage | None = None
    """What the store has lost of it."""

    @property
    def parent(self) -> str:
        """The session of which it is a fork, and the step; empty: it is no fork."""
        ancestors = self.summary.started.ancestors if self.summary.started else ()
        return f"{ancestors[-1].session}@{ancestors[-1].step}" if ancestors else ""

    def as_json(self) -> dict[str, Any]:
        """What the first and last messages of a session tell; the rest is for `show`."""
        counts = self.summary.as_json()
        told = ("session", "game", "policy", "seed", "steps", "episodes", "score", "best_score", "max_score")
        return {
            "cell": self.summary.cell,
            **{key: counts[key] for key in told},
            "ended": self.state,
            "state": self.state,
            "date": self.date.isoformat(),
            "model": self.model or None,
            "parent": self.parent or None,
            "damage": self.damage.line() if self.damage else None,
        }

    def row(self) -> tuple[str, ...]:
        """The columns of its line."""
        counts = self.summary.as_json()
        score, best, most = (_or_unknown(counts[key]) for key in ("score", "best_score", "max_score"))
        return (
            self.summary.session,
            self.date.astimezone().strftime("%Y-%m-%d %H:%M"),
            one_line(str(counts["game"])),
            str(counts["policy"]),
            str(counts["seed"]),
            str(counts["steps"]),
            f"{score} best {best} of {most}",
            self.state,
            one_line(self.model) or "-",
            self.parent or "-",
            self.summary.cell,
        )


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
        starts = await bus.reader.sessions(where)
        damages = await SessionIndex(settings_with(nats)).compare(bus, starts, where)
        return [_with_damage(each, damages) for each in await _listed(bus, starts)] + _lost(damages)

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


async def newest_summary(bus: Bus, found: Envelope) -> Summary:
    """How a session stands, from its first and last messages."""
    summary = Summary(found.session, found.cell).after(found)
    reader = bus.in_cell(found.cell).reader
    step = await reader.newest(found.session, Kind.STEP)
    end = await reader.end_of(found.session)
    for newest in filter(None, (step, end)):
        summary.after(newest)
    return summary


def summary_line(summary: Summary) -> str:
    """A session in one line."""
    counts = summary.as_json()
    score, of = (_or_unknown(counts[key]) for key in ("score", "max_score"))
    where = "" if summary.cell == "main" else f" cell {summary.cell}"
    return (
        f"{summary.session}  {one_line(str(counts['game']))}  {counts['policy']}  seed {counts['seed']}  "
        f"{counted(counts['steps'], 'step')}  score {score}/{of}  {counts['ended']}{where}"
    )


async def _listed(bus: Bus, starts: Sequence[Envelope]) -> list[ListedSession]:
    found = []
    served: dict[str, set[str]] = {}
    for start in starts:
        there, summary = bus.in_cell(start.cell), await newest_summary(bus, start)
        if summary.ended is not None:
            state = summary.ended.reason.value
        else:
            if start.cell not in served:
                served[start.cell] = {
                    alive.scope for alive in await who_serves(there.cell) if alive.name == "game"
                }
            state = await _unended(there, start.session, served[start.cell])
            await _note_best(there, summary)
        found.append(ListedSession(summary, start.time, state, await _model(there, summary)))
    return found


def _with_damage(listed: ListedSession, damages: dict[tuple[str, str], SessionDamage]) -> ListedSession:
    damage = damages.pop((listed.summary.cell, listed.summary.session), None)
    return replace(listed, state=DAMAGED, damage=damage) if damage else listed


def _lost(damages: dict[tuple[str, str], SessionDamage]) -> list[ListedSession]:
    """The sessions that the store holds no more, as they are remembered."""
    listed = []
    for (cell, session), damage in damages.items():
        summary = Summary(session, cell)
        for newest in damage.known.newest:
            summary.after(newest)
        listed.append(ListedSession(summary, damage.known.newest[0].time, LOST, "", damage))
    return listed


async def _unended(bus: Bus, session: str, scopes: set[str]) -> str:
    """The state of a session without an end: a play that was killed could not write one."""
    if not scopes.isdisjoint((session, "*")):
        return RUNNING
    return INCOMPLETE if await archive.is_cut_short(bus.reader, session) else STOPPED


async def _note_best(bus: Bus, summary: Summary) -> None:
    """The end tells the best score; without one, all steps do."""
    async for raw in raw_messages(bus.cell, wildcard(bus.cell.name, summary.session, Kind.STEP)):
        envelope = message_in(raw.subject, raw.data)
        score = envelope.body.score if envelope and isinstance(envelope.body, StepTaken) else None
        if score is not None:
            summary.best_score = max(score, score if summary.best_score is None else summary.best_score)


async def _model(bus: Bus, summary: Summary) -> str:
    """The model that was asked last; empty: none was."""
    if summary.started is None or not summary.started.asks_models:
        return ""
    newest = await bus.reader.newest(summary.session, Kind.MODEL)
    return newest.body.model if newest and isinstance(newest.body, ModelAsked) else ""


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


def _or_unknown(value: object) -> str:
    return "?" if value is None else str(value)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines with columns of equal width; a column that says the same of all, nothing, is left out."""
    shown = [n for n in range(len(COLUMNS)) if n < 8 or any(row[n] not in ("-", "main") for row in rows[1:])]
    widths = {n: max(len(row[n]) for row in rows) for n in shown}
    for row in rows:
        yield "  ".join(row[n].ljust(widths[n]) for n in shown).rstrip()
