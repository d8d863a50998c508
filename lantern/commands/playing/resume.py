"""`lantern resume`: go on with a session."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from lantern.command_options import (
    Agent,
    AsJson,
    CellName,
    MetricsPort,
    ModelName,
    NatsUrl,
    SessionName,
    settings_with,
)
from lantern.commands.playing.model_options import BudgetCalls, BudgetTokens, BudgetUsd
from lantern.commands.playing.outcome import announcement, print_outcome, view_of
from lantern.play.models.session_models import unchecked_settings
from lantern.play.resume import resume
from lantern.play.session_options import ResumeOptions, budget_limits, check_steps
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session


def resume_command(
    session: SessionName,
    steps: Annotated[
        int | None, typer.Option(help="Further actions; what the session's budget leaves, if not given.")
    ] = None,
    agent: Agent = None,
    model: ModelName = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    budget_calls: BudgetCalls = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    metrics_port: MetricsPort = None,
    as_json: AsJson = False,
) -> int:
    """Go on with a session after a stop or a crash; all that is not given comes from its record."""
    settings, models = settings_with(nats, metrics_port), unchecked_settings(model)
    limits = {"--budget-usd": budget_usd, "--budget-tokens": budget_tokens, "--budget-calls": budget_calls}
    given = [name for name, value in {**limits, "--model": model}.items() if value is not None]
    options = ResumeOptions(
        checked_session(session),
        checked_cell(cell),
        steps,
        budget_limits(budget_usd, budget_tokens, budget_calls),
        tuple(given),
        agent,
    )
    check_steps(steps)
    view = view_of(session, None, nats, settings, as_json)
    with log_to_file(settings.home / "lantern.log"):
        resuming = resume(options, settings, view, models=models, announce=announcement(as_json))
        return print_outcome(asyncio.run(resuming), as_json, nats)
