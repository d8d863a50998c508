"""Draws what `lantern top` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from lantern.views.cell_activity import CellActivity, SeenInstance
from lantern.views.text_view import printable

HEADINGS = (
    *("service", "version", "instance", "serves", "state", "health", "handled", "per s", "lag", "failed"),
    *("p50 ms", "p99 ms", "misses"),
)
WORDS = HEADINGS[: HEADINGS.index("handled")]
"""The columns that hold words; the others hold numbers."""

LEFT_OUT = ("version", "instance", "handled", "health", "p50 ms")
"""Columns that a narrow terminal does without, one after the other, until the others fit."""

GAP, SERVES = 2, 16
"""Columns between two of the table, and of a session's id where room is short."""


def drawn(board: CellActivity) -> RenderableType:
    """The whole picture."""
    return Group(_heading(board), Text(), ServiceTable(board), *_problems(board), *_sessions(board))


def _heading(board: CellActivity) -> Text:
    text = Text(f"cell {board.cell}   {board.now:%H:%M:%S} UTC   ")
    text.append(f"stream {board.messages} messages, {board.bytes / 1e6:.1f} MB")
    if board.unreachable:
        text.append("   NATS is away", style="bold red")
    if not board.seen:
        text.append("   nobody is live", style="yellow")
    return text


@dataclass(frozen=True, slots=True)
class ServiceTable:
    """The services, with the columns that the terminal has room for."""

    board: CellActivity

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A line for each instance."""
        rows = [dict(zip(HEADINGS, _row(self.board, seen), strict=True)) for seen in self.board.services()]
        headings = list(HEADINGS)
        for name in LEFT_OUT:
            if _width(headings, rows) <= options.max_width:
                break
            headings.remove(name)
            for row in rows:
                row["serves"].truncate(SERVES, overflow="ellipsis")
        if "health" not in headings:
            rows = [{**row, "state": _ill_or(row)} for row in rows]
        table = Table(box=None, pad_edge=False)
        for name in headings:
            table.add_column(name, justify="left" if name in WORDS else "right", no_wrap=True)
        for row in rows:
            table.add_row(*(row[name] for name in headings))
        yield table


def _width(headings: Sequence[str], rows: Sequence[Mapping[str, Text]]) -> int:
    widths = (max([len(name), *(row[name].cell_len for row in rows)]) for name in headings)
    return sum(widths) + GAP * (len(headings) - 1)


def _ill_or(row: Mapping[str, Text]) -> Text:
    """The state, unless the instance is ill."""
    return row["health"] if row["health"].plain == "ill" else row["state"]


def _row(board: CellActivity, seen: SeenInstance) -> Iterator[Text]:
    alive, silent = seen.alive, board.silent_seconds(seen)
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
    yield Text(str(board.missed_deadlines(alive.name)))


def _problems(board: CellActivity) -> Iterator[Text]:
    for seen in board.services():
        for problem in seen.alive.problems:
            line = f"{seen.alive.name} {seen.alive.instance}: {problem}"
            yield Text(printable(line), style="red")


def _sessions(board: CellActivity) -> Iterator[RenderableType]:
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
