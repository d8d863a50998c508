"""`lantern web`: watch sessions in a browser."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, settings_with
from lantern.extras import ExtraMissing
from lantern.play.signals import StopOnSignal
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.nats.subjects import checked_cell, checked_session

PORT = 8080
NICE = 5
"""Who watches a game does not slow it down, even where it runs on the same machine."""

AnyCell = Annotated[str, typer.Option("--cell", envvar="LANTERN_CELL", help="Of one cell only; * for all.")]


def web_command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")] = PORT,
    host: Annotated[
        str, typer.Option(help="The address to listen on; elsewhere than on this machine a token is needed.")
    ] = "127.0.0.1",
    nats: NatsUrl = None,
    cell: AnyCell = "*",
    control: Annotated[
        bool, typer.Option("--control", help="Let the page pause, fork and play; else it only shows.")
    ] = False,
    evaluations: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder with runs of evaluations; else this one.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="The session that the printed address opens.")
    ] = None,
) -> int:
    """Show sessions in a browser: live, step by step, side by side; until Ctrl-C."""
    try:
        from lantern.web.access import Access
        from lantern.web.serving import address_of, serve
        from mesh.http_serving import listening
    except ModuleNotFoundError as error:
        raise ExtraMissing("The web page", "web", error) from error

    settings = settings_with(nats)
    os.nice(NICE)
    folder = evaluations or Path()
    if not folder.is_dir():
        raise InputError(f"--evaluations: there is no folder {folder}. Name the one that holds the runs.")
    path = f"/sessions/{checked_session(session)}" if session else "/"
    token = settings.page_token()
    access = Access(host, control, token or ("" if _is_loopback(host) else secrets.token_urlsafe(18)))
    with listening("The page", host, port) as listener, log_to_file(settings.home / "web.log"):
        url = address_of(listener, access, path)

        async def work() -> None:
            with StopOnSignal() as stopping:
                cells = cell if cell == "*" else checked_cell(cell)
                await serve(
                    listener, access, settings, cells, folder, stopping, lambda: print(url, flush=True)
                )

        asyncio.run(work())
    return 0


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
