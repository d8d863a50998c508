"""`lantern mcp`: let MCP clients play, and look into what was played."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from lantern.command_options import CellName, NatsUrl, settings_with
from lantern.extras import ExtraMissing
from lantern.mcp.games import STEPS, Games, ServerOptions
from lantern.nats.connection import connection, nats_url
from lantern.play.session_options import check_steps
from lantern.play.signals import StopOnSignal
from lantern.play.story_files import load_story
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session
from mesh.settings import MeshSettings


def mcp_command(
    story: Annotated[
        str | None,
        typer.Option(help="The story of new games; the bundled one, if neither it nor --session is given."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="The session that is meant where a client names none.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Clients may go on with sessions that clients have played before."),
    ] = False,
    critic: Annotated[
        bool, typer.Option("--critic", help="The critic may have another action played than the client's.")
    ] = False,
    steps: Annotated[
        int | None, typer.Option(help=f"How many actions a game has; {STEPS}, if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all chance, 1 or above.")] = 1,
    text_only: Annotated[bool, typer.Option("--text-only", help="The client sees the text alone.")] = False,
    valid_actions: Annotated[
        bool | None,
        typer.Option("--valid-actions/--no-valid-actions", help="Whether the client is told valid actions."),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve streamable HTTP on this port of 127.0.0.1; 0: a free one, which is printed.",
        ),
    ] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
) -> int:
    """Serve MCP clients: tools to play and to look into sessions, until the client leaves."""
    given = "bundled" if story is None and session is None else story
    options = ServerOptions(
        given, session, resume, checked_cell(cell), steps, seed, text_only, valid_actions, critic
    )  # fmt: skip
    _check(options)
    settings = settings_with(nats)
    with log_to_file(settings.home / "lantern.log"):
        asyncio.run(_serve(options, settings, http))
    return 0


def _check(options: ServerOptions) -> None:
    """Raises InputError for what no game could be started with."""
    check_steps(options.steps)
    if options.seed < 1:
        raise InputError(f"--seed cannot be {options.seed}: the emulator's seeds are 1 and above.")
    if options.text_only and options.valid_actions:
        raise InputError("--text-only and --valid-actions exclude each other. Leave one of them out.")
    if options.session is not None:
        checked_session(options.session)
    if options.story is not None:
        load_story(options.story)


async def _serve(options: ServerOptions, settings: MeshSettings, http: int | None) -> None:
    try:
        from lantern.mcp.server import mcp_server
        from lantern.mcp.transports import listening, serve_http, serve_stdio, url_of
    except ModuleNotFoundError as error:
        raise ExtraMissing("lantern mcp", "mcp", error) from error
    with StopOnSignal() as stopping:
        async with (
            nats_url(settings) as url,
            connection(url, options.cell, patience=settings.patience) as bus,
            Games(bus, options, settings) as games,
        ):
            await games.check()
            server = mcp_server(games, version("lantern-mesh"))
            if http is None:
                await serve_stdio(server, stopping)
                return
            with listening(http) as listener:
                print(f"lantern answers MCP clients at {url_of(listener)}", file=sys.stderr, flush=True)
                await serve_http(server, listener, stopping)
