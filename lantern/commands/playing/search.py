"""`lantern search`: look for the highest score with save and restore, and play what was found."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from language_model.action_prior.model_prior import PriorCounts
from lantern.command_options import AsJson, CellName, ModelName, NatsUrl, settings_with
from lantern.commands.playing.model_options import BudgetCalls, BudgetTokens, BudgetUsd
from lantern.error_output import INTERRUPTED
from lantern.invocation import command
from lantern.play.search.method_options import TREE_PARTS, method_options
from lantern.play.search.prior import PriorOptions, model_prior, prior_options
from lantern.play.search.searching import SearchOptions, SearchReport, search_and_play
from lantern.play.session_options import default_session
from lantern.play.story_files import load_story
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session
from mesh.printable import counted
from mesh.settings import MeshSettings
from search.frontier.parts import SearchPart
from search.mcts.inquiries import answers_of
from search.running import SearchState
from zmachine.story_file import StoryFile

EVERY = 1.0
"""Seconds between two lines of progress that tell of no better score."""
CLEARED = "\r\x1b[K"
"""Takes a line off a terminal, however long it is."""


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
        terminal = sys.stderr.isatty()
        shown = f"{CLEARED}{line[: terminal_width() - 1]}" if terminal else line
        print(shown, file=sys.stderr, end="" if terminal and not better else "\n", flush=True)

    def end(self) -> None:
        """Take the last line off the terminal, if no better score stands there."""
        if sys.stderr.isatty():
            print(CLEARED, file=sys.stderr, end="", flush=True)


def terminal_width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def search_command(
    story: Annotated[str, typer.Argument(help="A story file (.z1 to .z8), or 'bundled'.")] = "bundled",
    method: Annotated[
        str,
        typer.Option(help="How to search: frontier, go-explore, puct, mc-dml, model, reflection, or random."),
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
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART",
            help=f"Leave out {', '.join(TREE_PARTS)} (mc-dml), or {', '.join(SearchPart)} (frontier); "
            "may be given several times.",
        ),
    ] = None,
    simulations: Annotated[
        int | None, typer.Option(metavar="N", help="For each valid action (puct, mc-dml); 50.")
    ] = None,
    exploration: Annotated[
        float | None, typer.Option(metavar="C", help="The constant of exploration (puct, mc-dml); 50.")
    ] = None,
    model: ModelName = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the model's answers are kept; one for each story."),
    ] = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    budget_calls: BudgetCalls = None,
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
        method_options(method, without or (), simulations, exploration),
    )
    options.check()
    story_file, progress = load_story(story), ProgressLines()
    budget = (budget_usd, budget_tokens, budget_calls)
    usual = settings.home / "searches" / f"{story_file.md5}-answers.jsonl"
    asking = prior_options(method, model, answers, budget, usual)
    try:
        with log_to_file(settings.home / "lantern.log"):
            report = asyncio.run(_searched(options, story_file, settings, progress, asking))
    finally:
        progress.end()
    print(json.dumps(report.as_json()) if as_json else outcome_text(report))
    return INTERRUPTED if report.stopped else 0


async def _searched(
    options: SearchOptions,
    story: StoryFile,
    settings: MeshSettings,
    progress: ProgressLines,
    asking: PriorOptions | None,
) -> SearchReport:
    """Search with a language model, if the method asks one."""
    if asking is None:
        return await search_and_play(options, story, settings, progress.show)
    async with model_prior(asking, f"The method {options.method}") as prior:
        report = await search_and_play(options, story, settings, progress.show, answers_of(prior))
        report.asked = prior.counts
        return report


def asked_text(counts: PriorCounts | None) -> str:
    """How often a language model was asked; empty: the method asks none."""
    if counts is None:
        return ""
    why = counts.why_unanswered.rstrip(".")
    unanswered = f", {counts.unanswered} without a usable answer ({why})" if counts.unanswered else ""
    return (
        f", {counted(counts.asked, 'question')} to a model and {counts.recalled:,} from the file{unanswered}"
    )


def outcome_text(report: SearchReport) -> str:
    """What a search came to, and how to see it."""
    told = report.as_json()
    spent = f"{told['probes']:,} probes in {told['seconds']:.0f} s{asked_text(report.asked)}"
    spent += "".join(f"; one process ended early: the game never ended {each!r}" for each in told["endless"])
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
