"""Options that several commands share, and the connection that they work with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Annotated, TypeVar

import typer

from lantern.nats.connection import connection, nats_url
from lantern.nats.disk_space import stop_on_full_disk
from lantern.nats.session_index import SessionIndex
from lantern.play.own.installed_services import installed_names
from lantern.play.services import OPTIONAL, SERVICES
from mesh.nats.subjects import checked_cell
from mesh.record.bus import Bus
from mesh.settings import MeshSettings, from_environment


def _port(given: str) -> int:
    """A parser, because the help would show a range in place of options' whole names."""
    if not given.isdecimal() or int(given) > HIGHEST_PORT:
        raise typer.BadParameter(f"{given!r} is no number from 0 to {HIGHEST_PORT}.")
    return int(given)


HIGHEST_PORT = 65535

NatsUrl = Annotated[
    str | None,
    typer.Option("--nats", metavar="URL", help="A NATS server with JetStream; else an embedded one."),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port",
        metavar="N",
        parser=_port,
        help="Serve /metrics and /healthz on this port; 0: a free one, named in the log.",
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="The language model to ask; LANTERN_MODEL_NAME, if not given."
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="PROGRAM",
        help="An agent from outside, a command or path.py:Class, decides in place of a policy; see "
        "docs/extend.md.",
    ),
]
SessionName = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")]
CellName = Annotated[
    str, typer.Option("--cell", envvar="LANTERN_CELL", help="The namespace of sessions and services.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

R = TypeVar("R")


def policy_names() -> list[str]:
    """What a shell may complete a policy to."""
    from services.actor import policies  # few commands need it

    return policies.policy_names()


def behaviour_names() -> list[str]:
    """What a shell may complete a behaviour to."""
    from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES  # few commands need it

    return [*BEHAVIOUR_NAMES]


def service_names() -> list[str]:
    """What a shell may complete a service to; else it completes files."""
    return [*SERVICES, *OPTIONAL, *installed_names(), "all"]


def settings_with(nats: str | None, metrics_port: int | None = None) -> MeshSettings:
    """The settings from the environment, with what the command line overrides.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    settings = from_environment(MeshSettings)
    given = {"nats_url": nats or None, "metrics_port": metrics_port}
    return settings.model_copy(update={name: value for name, value in given.items() if value is not None})


def with_bus(nats: str | None, cell: str, work: Callable[[Bus], Awaitable[R]], *, records: bool = False) -> R:
    """Do the work with a connection to the NATS server, which is started if none is named.

    `records`: it writes much, and is cut if the disk of an embedded server gets full (DiskFull).
    """

    async def connected() -> R:
        settings, where = settings_with(nats), checked_cell(cell)
        guard = stop_on_full_disk(settings, asyncio.Event()) if records else nullcontext()
        async with (
            nats_url(settings) as url,
            connection(url, where, patience=settings.patience) as bus,
            guard,
        ):
            return await work(bus)

    return asyncio.run(connected())


def with_session_bus(nats: str | None, session: str, work: Callable[[Bus], Awaitable[R]]) -> R:
    """Do the work with such a connection in the cell of a session; damage to its record is named."""

    async def there(bus: Bus) -> R:
        found = await SessionIndex(settings_with(nats)).find(bus, session)
        return await work(bus.in_cell(found.cell))

    return with_bus(nats, "main", there)
