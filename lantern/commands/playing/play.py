"""`lantern play`: play a story and watch."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from lantern.command_options import AsJson, CellName, MetricsPort, ModelName, NatsUrl, settings_with
from lantern.error_output import INTERRUPTED
from lantern.play.models import model_settings, usual_policy, why
from lantern.play.play import play
from lantern.play.play import resume as play_again
from lantern.play.summary import Summary
from lantern.play.watching import Watcher
from lantern.play.wishes import BUDGET_USD, PlayOptions, ResumeOptions, budget_of, check_steps, check_wish
from lantern.play.wishes import default_session as session_named_after
from lantern.views.live_view import LiveView
from lantern.views.show import Lines, Silent, one_line
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session
from schemas.game import REFLACT, EndReason

BUDGETS = ("budget_usd", "budget_tokens", "budget_calls")
FOR_MODELS = (*BUDGETS, "model")

RESUMED_WITH = frozenset({*FOR_MODELS, "resume", "steps", "nats", "cell", "as_json", "metrics_port"})
"""The parameters that may be given with --resume."""


def play_command(
    context: typer.Context,
    story: Annotated[str, typer.Argument(help="A story file (.z1 to .z8), or 'bundled'.")] = "bundled",
    steps: Annotated[int, typer.Option(help="How many actions to play.")] = 100,
    policy: Annotated[
        str | None,
        typer.Option(
            help="How the actor picks: reflact, heuristic or random; "
            "if not given, reflact where a language model is configured, else heuristic."
        ),
    ] = None,
    model: ModelName = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(metavar="USD", help=f"What the model may cost; {BUDGET_USD:g}, if not given."),
    ] = None,
    budget_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tokens that it may read and write; no limit, if not given."),
    ] = None,
    budget_calls: Annotated[
        int | None, typer.Option(metavar="N", help="Times that it may be asked; no limit, if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all chance, 1 or above.")] = 1,
    session: Annotated[str | None, typer.Option(help="The session's id; made up if not given.")] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="SESSION",
            help="Go on with a session: for --steps further actions, or what its budget leaves.",
        ),
    ] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    valid_actions: Annotated[
        bool | None,
        typer.Option("--valid-actions/--no-valid-actions", help="Whether the agent is told valid actions."),
    ] = None,
    text_only: Annotated[bool, typer.Option("--text-only", help="The agent sees the text alone.")] = False,
    metrics_port: MetricsPort = None,
    as_json: AsJson = False,
) -> int:
    """Play a story and watch; Ctrl-C ends the session after the step under way."""
    settings, models = settings_with(nats, metrics_port), model_settings(model)
    if resume is not None:
        again = _again(context, checked_session(resume), checked_cell(cell), steps)
        with log_to_file(settings.home / "lantern.log"), watcher_for(again.steps or 0, as_json) as watcher:
            return reported(asyncio.run(play_again(again, settings, watcher, models=models)), as_json)
    played = policy or (REFLACT if model else usual_policy(models))
    budget = budget_of(played, model, budget_usd, budget_tokens, budget_calls)
    now = datetime.now(UTC).isoformat()
    name = session or session_named_after(story, f"{now}/{os.getpid()}")
    wish = PlayOptions(story, steps, played, seed, name, checked_cell(cell), valid_actions, text_only, budget)
    story_file = check_wish(wish)
    foreword = why(played, models, policy is not None)
    with log_to_file(settings.home / "lantern.log"), watcher_for(wish.steps, as_json, foreword) as watcher:
        summary = asyncio.run(play(wish, story_file, settings, watcher, models))
    return reported(summary, as_json)


def told(summary: Summary) -> str:
    """A session's outcome in two lines, and what models took and what was degraded below."""
    counts = summary.as_json()
    best = "" if counts["best_score"] is None else f", best score {counts['best_score']}"
    of = f" of {counts['max_score']}" if counts["max_score"] is not None and best else ""
    won = f", {summary.victories} won" if summary.victories else ""
    lost = f", {counts['degraded_steps']} degraded" if counts["degraded_steps"] else ""
    detail = f" ({one_line(summary.ended.detail)})" if summary.ended and summary.ended.detail else ""
    outcome = (
        f"{counts['steps']} steps in {counts['seconds']:.1f} s, "
        f"{counts['episodes']} episodes{best}{of}{won}{lost}; ended: {counts['ended']}{detail}\n"
        f"see it again: lantern sessions show {summary.session}"
    )
    return "\n".join([outcome, *summary.lines()])


def _again(context: typer.Context, session: str, cell: str, steps: int) -> ResumeOptions:
    """The wish to resume a session; whatever else was given is in its record.

    Raises:
        InputError: something else was given, or no such number of steps can be.
    """
    given = [name for name in context.params if _is_given(context, name)]
    if recorded := sorted({*given} - RESUMED_WITH):
        named = ("STORY" if name == "story" else f"--{name.replace('_', '-')}" for name in recorded)
        raise InputError(f"--resume takes all else from the session's record. Leave out {', '.join(named)}.")
    budget = budget_of(REFLACT, None, *(context.params[name] for name in BUDGETS))
    is_new = not {*given}.isdisjoint(BUDGETS)
    again = ResumeOptions(
        session,
        cell,
        steps if "steps" in given else None,
        budget if is_new else None,
        tuple(f"--{name.replace('_', '-')}" for name in given if name in FOR_MODELS),
    )
    check_steps(again.steps)
    return again


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def reported(summary: Summary, as_json: bool) -> int:
    """Print a session's outcome; the exit code."""
    print(json.dumps(summary.as_json()) if as_json else told(summary))
    return _exit_code(summary)


def watcher_for(steps: int, as_json: bool, foreword: str = "") -> Watcher:
    """What shows a session of so many steps while it is played."""
    if as_json:
        return Silent()
    return LiveView(steps, foreword=foreword) if sys.stdout.isatty() else Lines(foreword)


def _exit_code(summary: Summary) -> int:
    if summary.ended is None or summary.ended.reason is EndReason.FAILED:
        return 1
    return INTERRUPTED if summary.ended.reason is EndReason.STOPPED else 0
