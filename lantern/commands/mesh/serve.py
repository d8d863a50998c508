"""`lantern serve`: run services until told to stop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from language_model.settings import ModelSettings
from lantern.command_options import CellName, MetricsPort, ModelName, NatsUrl, service_names, settings_with
from lantern.error_output import exit_code_of, first_lantern_error, print_error
from lantern.nats.connection import nats_url
from lantern.play.compose import running
from lantern.play.models.session_models import model_settings, optional_models
from lantern.play.services import OPTIONAL, SERVICES, service_named
from lantern.play.signals import StopOnSignal, open_until
from mesh.errors import InputError
from mesh.log import log_to
from mesh.nats.subjects import checked_cell
from mesh.runner.runner import Runner
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.mesh import ShadowCounts


def serve_command(
    services: Annotated[
        list[str],
        typer.Argument(
            autocompletion=service_names,
            help=f"Any of {', '.join(SERVICES)}; all of these; {', '.join(OPTIONAL)}; "
            "or your own as path.py:Class.",
        ),
    ],
    nats: NatsUrl = None,
    cell: CellName = "main",
    shadow: Annotated[
        bool,
        typer.Option("--shadow", help="Compare what they say with the live ones; nothing of it is used."),
    ] = False,
    model: ModelName = None,
    metrics_port: MetricsPort = None,
    hold: Annotated[
        bool,
        typer.Option(
            "--hold",
            help="On bad input say so and wait to be stopped: for who would start it again and again.",
        ),
    ] = False,
) -> int:
    """Run services for all sessions of a cell, until Ctrl-C or SIGTERM."""
    with _holding(hold):
        settings = settings_with(nats, metrics_port)
        log_to(sys.stderr, json=not sys.stderr.isatty())
        names, models = _names(services), model_settings(model)
        if shadow:
            return _print_counts(asyncio.run(_serve_shadows(names, settings, checked_cell(cell), models)))
        asyncio.run(_serve(names, settings, checked_cell(cell), models))
        return 0


async def _serve(names: list[str], settings: MeshSettings, cell: str, models: ModelSettings) -> None:
    services = [service_named(name, settings.home) for name in names]
    with StopOnSignal() as stopping:
        await open_until(stopping, _serving(services, settings, cell, models))


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
        shadows = _serving(services, settings, cell, models, as_shadows=True)
        runners = await open_until(stopping, shadows) or ()
    return {runner.service.name: runner.shadow.counts for runner in runners if runner.shadow}


@asynccontextmanager
async def _serving(
    services: Sequence[Service[Any]],
    settings: MeshSettings,
    cell: str,
    models: ModelSettings,
    *,
    as_shadows: bool = False,
) -> AsyncIterator[list[Runner[Any]]]:
    async with (
        optional_models(services, models),
        nats_url(settings) as url,
        running(services, url, cell, settings, as_shadows=as_shadows) as runners,
    ):
        yield runners


def _print_counts(compared: dict[str, ShadowCounts]) -> int:
    for name, counts in compared.items():
        print(
            f"{name}: {counts.same} the same, {counts.different} different, {counts.alone} without a live one"
        )
    return 0


@contextmanager
def _holding(hold: bool) -> Iterator[None]:
    """If bad input ends the block, print the error and wait to be stopped.

    A supervisor that restarts whatever has ended would repeat the error for ever.
    """
    try:
        yield
    except (InputError, BaseExceptionGroup) as error:
        what = first_lantern_error(error)
        if not (hold and isinstance(what, InputError)):
            raise
        raise typer.Exit(asyncio.run(_complain_and_wait(what))) from error


async def _complain_and_wait(what: InputError) -> int:
    with StopOnSignal() as stopping:
        exit_code = print_error(str(what), exit_code_of(what))
        await stopping.wait()
    return exit_code


def _names(services: list[str]) -> list[str]:
    wanted = [name for given in services for name in (SERVICES if given == "all" else (given,))]
    return list(dict.fromkeys(wanted))
