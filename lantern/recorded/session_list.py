"""The recorded sessions: how each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lantern.nats.session_index import SessionDamage, SessionIndex
from lantern.play.summary import Summary
from mesh.nats.codec import message_in
from mesh.nats.subjects import wildcard
from mesh.observability.liveness import who_serves
from mesh.printable import one_line
from mesh.record import archive
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import EndReason, StepTaken
from schemas.language_model import ModelAsked

RUNNING, STOPPED, INCOMPLETE = "running", EndReason.STOPPED.value, "incomplete"
DAMAGED, LOST = "damaged", "lost"
STATES = (RUNNING, *(reason.value for reason in EndReason), INCOMPLETE, DAMAGED, LOST)


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
        score, best, most = (or_unknown(counts[key]) for key in ("score", "best_score", "max_score"))
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


async def listed_sessions(bus: Bus, settings: MeshSettings, cell: str = "*") -> list[ListedSession]:
    """Every session of a cell (`*`: of all), the oldest first; then those that the store has lost."""
    starts = await bus.reader.sessions(cell)
    damages = await SessionIndex(settings).compare(bus, starts, cell)
    return [_with_damage(each, damages) for each in await sessions_of(bus, starts)] + _lost(damages)


async def newest_summary(bus: Bus, found: Envelope) -> Summary:
    """How a session stands, from its first and last messages."""
    summary = Summary(found.session, found.cell).after(found)
    reader = bus.in_cell(found.cell).reader
    step = await reader.newest(found.session, Kind.STEP)
    end = await reader.end_of(found.session)
    for newest in filter(None, (step, end)):
        summary.after(newest)
    return summary


async def sessions_of(bus: Bus, starts: Sequence[Envelope]) -> list[ListedSession]:
    """How the sessions of these starts stand, in their order."""
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


def or_unknown(value: object) -> str:
    """A value as a person reads it."""
    return "?" if value is None else str(value)
