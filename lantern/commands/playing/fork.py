"""`lantern fork`: go on from a step of a session in another way."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import UTC, datetime
from typing import Annotated

import typer

from lantern.command_options import AsJson, ModelName, NatsUrl, policy_names, settings_with
from lantern.commands.playing.outcome import announcement, print_outcome, view_of
from lantern.inspect.forking import ForkOptions, check_fork_options, copy, copy_and_play, default_session
from lantern.invocation import command
from lantern.play.models.session_models import unchecked_settings
from lantern.play.services import service_named
from mesh.errors import InputError
from mesh.log import log_to_file


def fork_command(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session to fork; it is only read.")],
    at: Annotated[int, typer.Option("--at", metavar="N", help="The last step that the fork has from it.")],
    steps: Annotated[
        int | None, typer.Option(help="Further actions; what the session's budget leaves, if not given.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(autocompletion=policy_names, help="How the actor picks from there on.")
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What the fork does first; its policy goes on from there."),
    ] = None,
    model: ModelName = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the policy's chance from there on; the story keeps its own.")
    ] = None,
    service: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH.PY:CLASS",
            help="Serves the fork in place of the service of its name; may be given several times.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The fork's id; made up if not given.")
    ] = None,
    play: Annotated[bool, typer.Option("--play/--no-play", help="Whether to go on at once.")] = True,
    nats: NatsUrl = None,
    cell: Annotated[str | None, typer.Option(help="The fork's cell; its parent's, if not given.")] = None,
    as_json: AsJson = False,
) -> int:
    """Copy a session up to a step, and go on from there with another policy, seed or service."""
    settings = settings_with(nats)
    made_up = default_session(session, at, f"{datetime.now(UTC).isoformat()}/{os.getpid()}")
    for_models = ("--model",) if model else ()
    options = ForkOptions(session, at, name or made_up, cell, steps, policy, seed, for_models, action)
    check_fork_options(options)
    if model and not play:
        raise InputError("--no-play asks no language model. Give --model to `lantern resume` instead.")
    models = unchecked_settings(model)
    instead = [service_named(each, settings.home) for each in service or []]
    if play:
        view = view_of(session, policy, nats, settings, as_json)
        with log_to_file(settings.home / "lantern.log"):
            playing = copy_and_play(options, settings, view, instead, models, announcement(as_json))
            summary = asyncio.run(playing)
        return print_outcome(summary, as_json, nats)
    fork = asyncio.run(copy(options, settings))
    told = {"session": fork.session, "cell": fork.cell, "parent": session, "at": at}
    text = f"forked {session} at step {at}; to go on: {command()} resume {fork.session}"
    print(json.dumps(told) if as_json else text)
    return 0
