"""`lantern search`: look for the highest score with save and restore, and play what was found."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from lantern.command_options import AsJson, CellName, NatsUrl, settings_with
from lantern.error_output import INTERRUPTED
from lantern.invocation import command
from lantern.play.search.searching import SearchOptions, SearchReport, search_and_play
from lantern.play.session_options import default_session
from lantern.play.story_files import load_story
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session
from mesh.printable import counted
from search.running import SearchState

EVERY = 1.0
"""Seconds between two lines of progress that tell of no better score."""


class ProgressLines:
    """Tells on standard error how far a search has come."""

    def __init__(self) -> None:
        self._began = self._told = time.monotonic()
        self._score: int | None = None

    def show(self, state: SearchState) -> None:
        """Show a better score at once, and all else now and then."""
        now = time.monotonic()
        better = state.score != self._score
        if not better and now - self._told < (EVERY if sys.stderr.isatty() else 30 * EVERY):
            return
        self._told, self._score = now, state.score
        rate = state.spent / max(now - self._began, 1e-3)
        best = "-" if state.score is None else f"{state.score} in {counted(len(state.actions), 'action')}"
        line = (
            f"{state.spent:,} probes, {rate:,.0f}/s, {sum(state.cells.values()):,} cells, best score {best}"
        )
        rewrite = sys.stderr.isatty() and not better
        print(line, file=sys.stderr, end="\r" if rewrite else "\n", flush=True)


def search_command(
    story: Annotated[str, typer.Argument(help="A story file (.z1 to .z8), or 'bundled'.")] = "bundled",
    method: Annotated[
        str, typer.Option(help="How to search: frontier, go-explore, puct, mc-dml, or random.")
    ] = "frontier",
    seconds: Annotated[float, typer.Option(help="How long to search, at most.")] = 600.0,
    probes: Annotated[
        int | None, typer.Option(metavar="N", help="How many actions the search may execute, at most.")
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes that search side by side.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the search's chance, 1 or above.")] = 1,
    emulator_seed: Annotated[
        int, typer.Option("--emulator-seed", help="Of the story's chance, 0 or above.")
    ] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from what the latest search of the story has found.")
    ] = False,
    session: Annotated[
        str | None, typer.Option(help="The id of the session that plays the result; made up if not given.")
    ] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    as_json: AsJson = False,
) -> int:
    """Search a story, and play what was found in a recorded session; Ctrl-C keeps the best so far."""
    settings = settings_with(nats)
    name = session or default_session(story, f"{datetime.now(UTC).isoformat()}/{os.getpid()}")
    options = SearchOptions(
        story,
        checked_session(name),
        checked_cell(cell),
        method,
        seconds,
        probes,
        jobs,
        seed,
        emulator_seed,
        resume,
    )
    options.check()
    story_file, progress = load_story(story), ProgressLines()
    with log_to_file(settings.home / "lantern.log"):
        searching = search_and_play(options, story_file, settings, progress.show)
        report = asyncio.run(searching)
    print(json.dumps(report.as_json()) if as_json else outcome_text(report))
    return INTERRUPTED if report.stopped else 0


def outcome_text(report: SearchReport) -> str:
    """What a search came to, and how to see it."""
    told = report.as_json()
    spent = f"{told['probes']:,} probes in {told['seconds']:.0f} s"
    if report.session is None:
        return f"{spent}: nothing was found that earns a point"
    of = f" of {told['max_score']}" if told["max_score"] is not None else ""
    return "\n".join(
        (
            f"{spent}: score {told['score']}{of} in {counted(told['steps'], 'step')}, "
            f"played in a session with the emulator seed {told['emulator_seed']}",
            f"see it: {command()} replay {told['session']} --step",
        )
    )
