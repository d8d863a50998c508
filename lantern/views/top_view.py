"""Draws what `lantern top` shows."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lantern.views.cell_activity import CellActivity, SeenInstance
from lantern.views.text_view import printable

HEADINGS = (
    *("service", "version", "instance", "serves", "state", "health", "handled", "per s", "lag", "failed"),
    *("p50 ms", "p99 ms", "misses"),
)
LEFT = HEADINGS.index("handled")
"""Columns before this one are words, from it on numbers."""


def drawn(board: CellActivity) -> RenderableType:
    """The whole picture."""
    return Group(_heading(board), Text(), _services(board), *_problems(board), *_sessions(board))


def _heading(board: CellActivity) -> Text:
    text = Text(f"cell {board.cell}   {board.now:%H:%M:%S} UTC   ")
    text.append(f"stream {board.messages} messages, {board.bytes / 1e6:.1f} MB")
    if board.away:
        text.append("   NATS is away", style="bold red")
    if not board.seen:
        text.append("   nobody is live", style="yellow")
    return text


def _services(board: CellActivity) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if number < LEFT else "right", no_wrap=True)
    for seen in board.services():
        table.add_row(*_row(board, seen))
    return table


def _row(board: CellActivity, seen: SeenInstance) -> Iterator[Text]:
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
