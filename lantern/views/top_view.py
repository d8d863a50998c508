"""What `lantern top` shows: a table folded over looks at the cell and over the steps that are taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lantern.views.show import printable
from mesh.observability.cell_status import CellStatus
from schemas.envelope import Envelope
from schemas.game import SessionEnded, StepTaken
from schemas.mesh import ServiceAlive

SILENT_FOR = 30.0
"""Seconds for which an instance is still shown that answers no more, and did not take its leave."""

UNDER_WAY = 60.0
"""Seconds after its last step for which a session is shown."""

PACE = 10.0
"""Seconds over which a session's pace is taken."""

HEADINGS = (
    *("service", "version", "instance", "serves", "state", "health", "handled", "per s", "lag", "failed"),
    *("p50 ms", "p99 ms", "misses"),
)
LEFT = HEADINGS.index("handled")
"""Columns before this one are words, from it on numbers."""


@dataclass(slots=True)
class Seen:
    """One instance as it was seen last."""

    alive: ServiceAlive
    at: datetime
    rate: float | None = None
    """Messages a second, between the last two looks."""

    def again(self, alive: ServiceAlive, at: datetime) -> None:
        """It was seen once more."""
        seconds = (alive.time - self.alive.time).total_seconds()
        if seconds > 0:
            self.rate = max(0, alive.handled - self.alive.handled) / seconds
        self.alive, self.at = alive, at


@dataclass(slots=True)
class Pace:
    """One session under way."""

    step: int = 0
    score: int | None = None
    times: deque[datetime] = field(default_factory=lambda: deque(maxlen=1000))

    def per_second(self, now: datetime) -> float:
        """Steps a second, lately."""
        return sum((now - time).total_seconds() <= PACE for time in self.times) / PACE


@dataclass(slots=True)
class Board:
    """All that is shown of a cell."""

    cell: str
    now: datetime
    away: bool = False
    """NATS could not be asked at the last look."""
    messages: int = 0
    bytes: int = 0
    seen: dict[str, Seen] = field(default_factory=dict)
    leaving: set[str] = field(default_factory=set)
    """Instances that took their leave: they are not missed."""
    sessions: dict[str, Pace] = field(default_factory=dict)

    def looked(self, look: CellStatus | None, now: datetime) -> None:
        """Take in a look at the cell."""
        self.now, self.away = now, look is None
        if look is not None:
            self.messages, self.bytes = look.messages, look.bytes
            for alive in look.live:
                self._found(alive)
        for instance, seen in list(self.seen.items()):
            gone = seen.at < now and instance in self.leaving
            if gone or self.silence(seen) > SILENT_FOR:
                del self.seen[instance]
                self.leaving.discard(instance)
        for session, pace in list(self.sessions.items()):
            if (now - pace.times[-1]).total_seconds() > UNDER_WAY:
                del self.sessions[session]

    def missed(self, service: str) -> int:
        """Deadlines that a service has missed, as those who waited for it tell."""
        return sum(seen.alive.misses.get(service, 0) for seen in self.seen.values())

    def left(self, alive: ServiceAlive) -> None:
        """An instance takes its leave."""
        self.leaving.add(alive.instance)

    def heard(self, envelope: Envelope) -> None:
        """Take in a step, or a session's end."""
        match envelope.body:
            case StepTaken() as step:
                pace = self.sessions.setdefault(envelope.session, Pace())
                pace.step, pace.score = step.step, step.score
                pace.times.append(envelope.time)
            case SessionEnded():
                self.sessions.pop(envelope.session, None)
            case _:
                pass

    def services(self) -> list[Seen]:
        """The instances, by name."""
        return sorted(self.seen.values(), key=lambda seen: (seen.alive.name, seen.alive.instance))

    def silence(self, seen: Seen) -> float:
        """Seconds since an instance was seen."""
        return (self.now - seen.at).total_seconds()

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        services = [
            {
                **seen.alive.model_dump(mode="json"),
                "messages_per_second": seen.rate,
                "silent_seconds": self.silence(seen),
            }
            for seen in self.services()
        ]
        sessions = [
            {
                "session": session,
                "step": pace.step,
                "score": pace.score,
                "steps_per_second": pace.per_second(self.now),
            }
            for session, pace in sorted(self.sessions.items())
        ]
        stream = {"messages": self.messages, "bytes": self.bytes}
        return {"cell": self.cell, "services": services, "sessions": sessions, "stream": stream}

    def _found(self, alive: ServiceAlive) -> None:
        if alive.instance in self.seen:
            self.seen[alive.instance].again(alive, self.now)
        else:
            self.seen[alive.instance] = Seen(alive, self.now)


def drawn(board: Board) -> RenderableType:
    """The whole picture."""
    return Group(_heading(board), Text(), _services(board), *_problems(board), *_sessions(board))


def _heading(board: Board) -> Text:
    text = Text(f"cell {board.cell}   {board.now:%H:%M:%S} UTC   ")
    text.append(f"stream {board.messages} messages, {board.bytes / 1e6:.1f} MB")
    if board.away:
        text.append("   NATS is away", style="bold red")
    if not board.seen:
        text.append("   nobody is live", style="yellow")
    return text


def _services(board: Board) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if number < LEFT else "right", no_wrap=True)
    for seen in board.services():
        table.add_row(*_row(board, seen))
    return table


def _row(board: Board, seen: Seen) -> Iterator[Text]:
    alive, silent = seen.alive, board.silence(seen)
    serves = "all" if alive.scope == "*" else alive.scope
    for word in (alive.name, alive.version, alive.instance, serves):
        yield Text(printable(word))
    yield Text(f"silent {silent:.0f} s", style="red") if silent > 0 else Text(alive.state)
    yield Text("well", style="green") if alive.healthy else Text("ill", style="bold red")
    yield Text(str(alive.handled))
    yield Text(_number(seen.rate, 1))
    yield Text(str(alive.lag))
    yield Text(str(alive.failed), style="yellow" if alive.failed else "")
    yield Text(_number(alive.seconds_p50, 1e3))
    yield Text(_number(alive.seconds_p99, 1e3))
    yield Text(str(board.missed(alive.name)))


def _problems(board: Board) -> Iterator[Text]:
    for seen in board.services():
        for ailment in seen.alive.problems:
            told = f"{seen.alive.name} {seen.alive.instance}: {ailment}"
            yield Text(printable(told), style="red")


def _sessions(board: Board) -> Iterator[RenderableType]:
    if not board.sessions:
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("session", "step", "score", "steps per s"):
        table.add_column(heading, justify="left" if heading == "session" else "right", no_wrap=True)
    for session, pace in sorted(board.sessions.items()):
        score = "?" if pace.score is None else str(pace.score)
        table.add_row(printable(session), str(pace.step), score, f"{pace.per_second(board.now):.1f}")
    yield Text()
    yield table


def _number(value: float | None, times: float) -> str:
    return "-" if value is None else f"{value * times:.1f}"
