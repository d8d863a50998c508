"""`lantern serve`: run services until told to stop."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from lantern.compose import SERVICES, nats_url, running, service_named
from lantern.options import CellName, MetricsPort, NatsUrl, settings_with
from lantern.signals import StopOnSignal
from mesh.log import log_to
from mesh.settings import MeshSettings
from mesh.subjects import checked_cell


def serve_command(
    services: Annotated[
        list[str], typer.Argument(help=f"Any of {', '.join(SERVICES)}; all; or your own as path.py:Class.")
    ],
    nats: NatsUrl = None,
    cell: CellName = "main",
    metrics_port: MetricsPort = None,
) -> int:
    """Run services for all sessions of a cell, until Ctrl-C or SIGTERM."""
    settings = settings_with(nats, metrics_port)
    log_to(sys.stderr, json=not sys.stderr.isatty())
    asyncio.run(_serve(_names(services), settings, checked_cell(cell)))
    return 0


async def _serve(names: list[str], settings: MeshSettings, cell: str) -> None:
    services = [service_named(name, settings.home) for name in names]
    with StopOnSignal() as stopping:
        async with nats_url(settings) as url, running(services, url, cell, settings):
            await stopping.wait()


def _names(services: list[str]) -> list[str]:
    wanted = [name for given in services for name in (SERVICES if given == "all" else (given,))]
    return list(dict.fromkeys(wanted))
