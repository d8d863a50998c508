"""`lantern serve`: run services until told to stop."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from language_model.settings import ModelSettings
from lantern.compose import SERVICES, nats_url, running, service_named
from lantern.models import model_settings, offering_models
from lantern.options import CellName, MetricsPort, ModelName, NatsUrl, settings_with
from lantern.signals import StopOnSignal
from mesh.errors import InputError
from mesh.log import log_to
from mesh.settings import MeshSettings
from mesh.subjects import checked_cell
from schemas.mesh import ShadowCounts


def serve_command(
    services: Annotated[
        list[str], typer.Argument(help=f"Any of {', '.join(SERVICES)}; all; or your own as path.py:Class.")
    ],
    nats: NatsUrl = None,
    cell: CellName = "main",
    shadow: Annotated[
        bool,
        typer.Option("--shadow", help="Compare what they say with the live ones; nothing of it is used."),
    ] = False,
    model: ModelName = None,
    metrics_port: MetricsPort = None,
) -> int:
    """Run services for all sessions of a cell, until Ctrl-C or SIGTERM."""
    settings = settings_with(nats, metrics_port)
    log_to(sys.stderr, json=not sys.stderr.isatty())
    names = _names(services)
    if shadow:
        shadows = _serve_shadows(names, settings, checked_cell(cell), model_settings(model))
        return _told(asyncio.run(shadows))
    asyncio.run(_serve(names, settings, checked_cell(cell), model_settings(model)))
    return 0


async def _serve(names: list[str], settings: MeshSettings, cell: str, models: ModelSettings) -> None:
    services = [service_named(name, settings.home) for name in names]
    with StopOnSignal() as stopping:
        async with (
            offering_models(services, models),
            nats_url(settings) as url,
            running(services, url, cell, settings),
        ):
            await stopping.wait()


async def _serve_shadows(
    names: list[str], settings: MeshSettings, cell: str, models: ModelSettings
) -> dict[str, ShadowCounts]:
    """Each shadow's counts, when told to stop.

    Raises:
        InputError: the game is among them.
    """
    with TemporaryDirectory(prefix="lantern-shadow-") as home, StopOnSignal() as stopping:
        services = [service_named(name, Path(home)) for name in names]
        if any(service.name == "game" for service in services):
            raise InputError("The game cannot be a shadow: it alone executes actions. Leave it out.")
        async with (
            offering_models(services, models),
            nats_url(settings) as url,
            running(services, url, cell, settings, as_shadows=True) as runners,
        ):
            await stopping.wait()
    return {runner.service.name: runner.shadow.counts for runner in runners if runner.shadow}


def _told(compared: dict[str, ShadowCounts]) -> int:
    for name, counts in compared.items():
        print(
            f"{name}: {counts.same} the same, {counts.different} different, {counts.alone} without a live one"
        )
    return 0


def _names(services: list[str]) -> list[str]:
    wanted = [name for given in services for name in (SERVICES if given == "all" else (given,))]
    return list(dict.fromkeys(wanted))
