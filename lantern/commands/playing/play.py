"""`lantern play`: play a story and watch."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer

from lantern.command_options import (
    Agent,
    AsJson,
    CellName,
    MetricsPort,
    ModelName,
    NatsUrl,
    behaviour_names,
    policy_names,
    service_names,
    settings_with,
)
from lantern.commands.playing.model_options import BudgetCalls, BudgetTokens, BudgetUsd
from lantern.commands.playing.outcome import announcement, by_hand_view, print_outcome, view_for
from lantern.commands.playing.resume import resume_command
from lantern.play.models.session_models import model_settings, policy_explanation, usual_policy
from lantern.play.own.outside_agents import is_class
from lantern.play.play import play
from lantern.play.services import service_named
from lantern.play.session_options import (
    SEARCH_PROBES,
    PlayOptions,
    absent_services,
    budget_of,
    checked_goal,
    checked_story,
    default_session,
    probes_of,
)
from lantern.play.web_child import page_beside
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell
from mesh.settings import MeshSettings
from schemas.game import HUMAN, REFLACT
from services.actor.policies import OUTSIDE, checked_behaviours

STEPS = 100
"""Actions that are played if no number is given."""

NOT_RESUMED_WITH = (
    "story",
    "policy",
    "seed",
    "session",
    "valid_actions",
    "text_only",
    "status_line",
    "restore",
    "goal",
    "lookahead",
    "probes",
    "experience",
    "without",
    "without_behaviour",
    "with_",
    "no_critic",
    "web",
)
"""The parameters that a resumed session takes from its record."""

NOT_WITH_AGENT = (
    "policy",
    "model",
    "budget_usd",
    "budget_tokens",
    "budget_calls",
    "goal",
    "lookahead",
    "probes",
    "experience",
    "without",
    "without_behaviour",
    "with_",
    "no_critic",
)
"""The parameters that an agent from outside has no use for."""


def play_command(
    context: typer.Context,
    story: Annotated[str, typer.Argument(help="A story file (.z1 to .z8), or 'bundled'.")] = "bundled",
    steps: Annotated[
        int | None, typer.Option(help=f"How many actions to play; {STEPS}, if not given.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            autocompletion=policy_names,
            help="How the actor picks: reflact, heuristic, random, search (what a search has found before), "
            "or like an agent of the text-adventure "
            "competition, alone: competition-random, nail, golovin, byu, carl; "
            "if not given, reflact where a language model is configured, else heuristic.",
        ),
    ] = None,
    agent: Agent = None,
    model: ModelName = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    budget_calls: BudgetCalls = None,
    seed: Annotated[int, typer.Option(help="Of all chance, 1 or above.")] = 1,
    session: Annotated[str | None, typer.Option(help="The session's id; made up if not given.")] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="SESSION", help="The same as `lantern resume SESSION`.")
    ] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    valid_actions: Annotated[
        bool | None,
        typer.Option("--valid-actions/--no-valid-actions", help="Whether the agent is told valid actions."),
    ] = None,
    text_only: Annotated[bool, typer.Option("--text-only", help="The agent sees the text alone.")] = False,
    status_line: Annotated[
        bool, typer.Option("--status-line", help="With --text-only: also what the status line shows.")
    ] = False,
    goal: Annotated[
        str, typer.Option(metavar="TEXT", help="What the player is to do above all, in a sentence.")
    ] = "",
    restore: Annotated[
        bool, typer.Option("--restore", help="`restore` and `restore N` go back, also after a death.")
    ] = False,
    lookahead: Annotated[
        bool, typer.Option("--lookahead", help="The planner tries actions in an emulator of its own.")
    ] = False,
    probes: Annotated[
        int | None,
        typer.Option(
            metavar="N", help=f"What the policy search may try before the session; {SEARCH_PROBES:,}."
        ),
    ] = None,
    experience: Annotated[
        bool,
        typer.Option("--experience", help="Use what earlier sessions of the story taught, and add to it."),
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERVICE",
            help="Play without memory, narrator, hint, npc_tracker, critic or planner; "
            "may be given several times.",
        ),
    ] = None,
    without_behaviour: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=behaviour_names,
            help="Switch off one of the heuristic player's behaviours; may be given several times.",
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="SERVICE",
            autocompletion=service_names,
            help="Play with a service of yours, installed or path.py:Class; may be given several times.",
        ),
    ] = None,
    no_critic: Annotated[bool, typer.Option("--no-critic", help="The same as --without critic.")] = False,
    metrics_port: MetricsPort = None,
    web: Annotated[
        bool, typer.Option("--web", help="Show the session in a browser too; see `lantern web`.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Play a story and watch; Ctrl-C ends the session after the step under way."""
    if resume is not None:
        _check_resumable(context)
        budget = (budget_usd, budget_tokens, budget_calls)
        return resume_command(resume, steps, agent, model, *budget, nats, cell, metrics_port, as_json)
    settings, models = settings_with(nats, metrics_port), model_settings(model)
    played = policy or (REFLACT if model else usual_policy(models))
    if agent is not None:
        _check_decides(context, agent)
        played = OUTSIDE
    options = PlayOptions(
        story,
        STEPS if steps is None else steps,
        played,
        seed,
        session or default_session(story, f"{datetime.now(UTC).isoformat()}/{os.getpid()}"),
        checked_cell(cell),
        valid_actions,
        text_only,
        budget_of(played, model, budget_usd, budget_tokens, budget_calls),
        absent_services(played, [*(without or ()), *(["critic"] if no_critic else ())]),
        without_behaviours=checked_behaviours(played, without_behaviour or ()),
        restore=restore,
        goal=checked_goal(played, goal),
        lookahead=lookahead,
        search_probes=probes_of(played, probes),
        experience=experience,
        agent=agent,
        for_models=("--model",) if model else (),
        status_line=status_line,
    )
    is_named = policy is not None or agent is not None
    story_file, foreword = checked_story(options), policy_explanation(played, models, is_named)
    view = by_hand_view(settings, as_json) if played == HUMAN else view_for(as_json, foreword)
    own = [service_named(name, settings.home) for name in with_ or ()]
    with log_to_file(settings.home / "lantern.log"), _page(web, options, settings) as page:
        announcement(as_json)(page)
        playing = play(options, story_file, settings, view, models, own)
        return print_outcome(asyncio.run(playing), as_json, nats)


@contextmanager
def _page(wanted: bool, options: PlayOptions, settings: MeshSettings) -> Iterator[str]:
    """The page beside the session, if it is wanted: what to say of it. A person who plays may type there."""
    if not wanted:
        yield ""
        return
    with page_beside(options.session, settings, control=options.policy == HUMAN) as address:
        yield f"in a browser: {address}"


def _check_resumable(context: typer.Context) -> None:
    """Raises InputError if something is given that a resumed session takes from its record."""
    given = sorted(name for name in NOT_RESUMED_WITH if _is_given(context, name))
    if given:
        named = ("STORY" if name == "story" else _option(name) for name in given)
        raise InputError(f"--resume takes all else from the session's record. Leave out {', '.join(named)}.")


def _check_decides(context: typer.Context, agent: str) -> None:
    """Raises InputError if something is given beside an agent from outside that it has no use for."""
    if given := sorted(name for name in NOT_WITH_AGENT if _is_given(context, name)):
        named = ", ".join(map(_option, given))
        raise InputError(f"--agent decides alone, without a policy and sub-agents. Leave out {named}.")
    if context.params["valid_actions"] and not is_class(agent):
        raise InputError("--agent: a command is told the text alone. Leave out --valid-actions.")


def _option(parameter: str) -> str:
    return f"--{parameter.rstrip('_').replace('_', '-')}"


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
