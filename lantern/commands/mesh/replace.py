"""`lantern replace`: one service in place of another while sessions go on."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import typer

from language_model.settings import ModelSettings
from lantern.command_options import CellName, MetricsPort, ModelName, NatsUrl, settings_with
from lantern.nats.connection import connection, nats_url
from lantern.play.compose import running
from lantern.play.models.session_models import model_settings, optional_models
from lantern.play.services import service_named
from lantern.play.signals import StopOnSignal, open_until
from mesh.errors import InputError
from mesh.log import log_to
from mesh.nats.subjects import checked_cell
from mesh.observability.liveness import who_serves
from mesh.printable import one_line
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.mesh import ServiceAlive


def replace_command(
    service: Annotated[str, typer.Argument(help="The live service that is replaced.")],
    by: Annotated[str, typer.Argument(metavar="BY", help="Your own as path.py:Class, or one of ours.")],
    session: Annotated[
        str | None, typer.Option(help="Replace it for this session alone; for all, if not given.")
    ] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    model: ModelName = None,
    metrics_port: MetricsPort = None,
) -> int:
    """Run a service in place of the live one, which stands by and takes over again when this one ends."""
    settings = settings_with(nats, metrics_port)
    log_to(sys.stderr, json=not sys.stderr.isatty())
    own = service_named(by, settings.home)
    if own.name != service:
        raise InputError(f"{by} is called {own.name!r}, so it cannot replace {service}. Set its name.")
    asyncio.run(_replace(own, settings, checked_cell(cell), session or "*", model_settings(model)))
    return 0


async def _replace(
    service: Service[Any], settings: MeshSettings, cell: str, scope: str, models: ModelSettings
) -> None:
    with StopOnSignal() as stopping:
        await open_until(stopping, _replacing(service, settings, cell, scope, models))


@asynccontextmanager
async def _replacing(
    service: Service[Any], settings: MeshSettings, cell: str, scope: str, models: ModelSettings
) -> AsyncIterator[None]:
    """The service serves in place of the live ones.

    Raises:
        InputError: nobody serves.
    """
    async with optional_models([service], models), nats_url(settings) as url:
        async with connection(url, cell) as bus:
            live = [alive for alive in await who_serves(bus.cell) if alive.name == service.name]
        replaced = [alive for alive in live if "*" in (scope, alive.scope) or alive.scope == scope]
        if not replaced:
            raise InputError(
                f"No {service.name} is live for {_sessions(scope)} of cell {cell}, so there is nothing to "
                "replace. Start it with `lantern serve`."
            )
        async with running([service], url, cell, settings, scope, replacing=True):
            old = ", ".join(map(_described, replaced))
            print(
                one_line(f"{service.name} {service.version} replaces {old} for {_sessions(scope)}"),
                flush=True,
            )
            yield


def _sessions(scope: str) -> str:
    return "all sessions" if scope == "*" else f"the session {scope}"


def _described(alive: ServiceAlive) -> str:
    return f"{alive.version} (instance {alive.instance})"
