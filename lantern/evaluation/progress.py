"""Shows a run while it goes on: a bar and a table in a terminal, lines of JSON, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lantern.evaluation.coordinator import ProgressView
from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.results import PlayResult, PlayState
from lantern.evaluation.tally import Tally
from mesh.printable import one_line

FRAMES = 4
"""Pictures a second."""

BAR = 40
"""Characters."""


def progress_view(as_json: bool) -> ProgressView:
    """What shows a run."""
    if as_json:
        return JsonProgress()
    console = Console()
    return TerminalProgress(console) if console.is_terminal and not console.is_dumb_terminal else NoProgress()


class NoProgress:
    """Shows nothing."""

    def show_begin(self, plays: Sequence[PlannedPlay], done: Sequence[PlayResult]) -> None:
        """Nothing."""

    def show_steps(self, play: str, steps: int) -> None:
        """Nothing."""

    def show_result(self, result: PlayResult) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class JsonProgress(NoProgress):
    """Prints each result as a line of JSON."""

    def show_result(self, result: PlayResult) -> None:
        """Print it."""
        print(result.model_dump_json(), flush=True)


class TerminalProgress:
    """Draws a bar of the plays, and a table that fills."""

    def __init__(self, console: Console, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._tally = Tally(())
        self._live = Live(
            console=console, get_renderable=self._picture, refresh_per_second=FRAMES, transient=True
        )

    def show_begin(self, plays: Sequence[PlannedPlay], done: Sequence[PlayResult]) -> None:
        """Draw from now on."""
        self._tally = Tally(plays, [*done])
        self._live.start()

    def show_steps(self, play: str, steps: int) -> None:
        """The next picture has it."""
        self._tally.note_steps(play, steps, self._monotonic())

    def show_result(self, result: PlayResult) -> None:
        """The next picture has it; a failure stays above it."""
        self._tally.note_result(result, self._monotonic())
        if result.state is PlayState.FAILED:
            self._live.console.print(Text(f"{result.session} failed: {one_line(result.failure)}"))

    def close(self) -> None:
        """Draw no more."""
        self._live.stop()

    def _picture(self) -> RenderableType:
        return Group(self._bar(), results_table(self._tally))

    def _bar(self) -> RenderableType:
        done, total = len(self._tally.results), len(self._tally.plays)
        bar = ProgressBar(total=total, completed=done, width=BAR)
        told = f" {done} of {total} plays, {self._tally.rate:.0f} steps/s{_left(self._tally.seconds_left)}"
        grid = Table.grid()
        grid.add_row(bar, Text(told))
        return grid


def results_table(tally: Tally) -> Table:
    """The agents of a run: their plays, and the mean share of the score."""
    table = Table(box=None, pad_edge=False)
    table.add_column("agent")
    for heading in ("plays", "failed", "mean share", "games with a point", "steps", "USD"):
        table.add_column(heading, justify="right")
    for each in tally.agents():
        percent = "" if each.percent is None else f"{each.percent:.2f} %"
        table.add_row(
            Text(one_line(each.agent)),
            f"{each.done}/{each.planned}",
            str(each.failed or ""),
            percent,
            f"{each.scoring} of {each.games}",
            str(each.steps),
            f"{each.usd:.2f}" if each.usd else "",
        )
    return table


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    return f", about {minutes} min left" if minutes else f", about {seconds:.0f} s left"


def print_results(plays: Sequence[PlannedPlay], results: Sequence[PlayResult], page: str) -> None:
    """Print what a run came to, and where its report is."""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120)
    console.print(results_table(Tally(plays, [*results])))
    reasons = {one_line(result.failure) for result in results if result.state is PlayState.FAILED}
    for reason in sorted(reasons):
        console.print(Text(f"failed: {reason}"), soft_wrap=True)
    console.print(Text(f"report: {page}"), soft_wrap=True)
