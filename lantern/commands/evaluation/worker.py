"""`lantern evaluate worker`: play what evaluations have to be played."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, settings_with
from lantern.evaluation.worker import work
from lantern.nats.connection import nats_url
from mesh.log import log_to
from mesh.settings import MeshSettings


def worker_command(
    nats: NatsUrl = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Only plays of this run (the `run` in its plan.json); else of all."),
    ] = None,
) -> int:
    """Play what evaluations on a NATS server have to be played, until Ctrl-C or SIGTERM."""
    settings = settings_with(nats)
    log_to(sys.stderr, json=not sys.stderr.isatty())
    asyncio.run(_work(settings, run))
    return 0


async def _work(settings: MeshSettings, run: str | None) -> None:
    async with nats_url(settings) as url:
        await work(url, settings, run)
