"""Options that several commands share, and the connection that they work with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from lantern.nats.connection import connection, nats_url
from mesh.errors import InputError
from mesh.nats.subjects import checked_cell
from mesh.record.bus import Bus
from mesh.settings import MeshSettings, from_environment

NatsUrl = Annotated[
    str | None,
    typer.Option("--nats", metavar="URL", help="A NATS server with JetStream; else an embedded one."),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port",
        metavar="N",
        min=0,
        max=65535,
        help="Serve /metrics and /healthz on this port; 0: a free one, named in the log.",
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="The language model to ask; LANTERN_MODEL_NAME, if not given."
    ),
]
SessionName = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")]
CellName = Annotated[
    str, typer.Option("--cell", envvar="LANTERN_CELL", help="The namespace of sessions and services.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

R = TypeVar("R")


def settings_with(nats: str | None, metrics_port: int | None = None) -> MeshSettings:
    """The settings from the environment, with what the command line overrides.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    settings = from_environment(MeshSettings)
    given = {"nats_url": nats or None, "metrics_port": metrics_port}
    return settings.model_copy(update={name: value for name, value in given.items() if value is not None})


def with_bus(nats: str | None, cell: str, work: Callable[[Bus], Awaitable[R]]) -> R:
    """Do the work with a connection to the NATS server, which is started if none is named."""

    async def connected() -> R:
        settings, where = settings_with(nats), checked_cell(cell)
        async with nats_url(settings) as url, connection(url, where, patience=settings.patience) as bus:
            return await work(bus)

    return asyncio.run(connected())


def with_session_bus(nats: str | None, session: str, work: Callable[[Bus], Awaitable[R]]) -> R:
    """Do the work with such a connection in the cell of a session."""

    async def there(bus: Bus) -> R:
        return await work(bus.in_cell((await bus.reader.find(session)).cell))

    return with_bus(nats, "main", there)


def write_file(path: Path, text: str) -> None:
    """Write a file that the user named.

    Raises:
        InputError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {path} ({error.strerror}). Give another file.") from error
