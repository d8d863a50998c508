"""Which services there are, and how they run together in one process."""

from __future__ import annotations

import asyncio
import importlib.util
import math
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from language_model.sub_agents.asking import AsksModels
from lantern.nats.embedded_nats import embedded_nats
from mesh.errors import InputError
from mesh.nats.cell import PATIENCE
from mesh.nats.subjects import checked_service
from mesh.observability.http import served
from mesh.observability.tracing import Traces, tracing
from mesh.record.bus import Bus
from mesh.runner.runner import Runner
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.envelope import ServiceRef
from services.actor.service import ActorService
from services.critic.service import CriticService
from services.game.service import GameService
from services.hint.service import HintService
from services.memory.service import MemoryService
from services.narrator.service import NarratorService
from services.npc_tracker.service import NpcTrackerService

SERVICES: Mapping[str, Callable[[Path], Service[Any]]] = {
    "game": lambda home: GameService(),
    "memory": lambda home: MemoryService(home / "memory"),
    "narrator": lambda home: NarratorService(),
    "hint": lambda home: HintService(),
    "npc_tracker": lambda home: NpcTrackerService(),
    "critic": lambda home: CriticService(),
    "actor": lambda home: ActorService(),
}
"""Our own services; each gets the directory that Lantern may write to."""


def service_named(name: str, home: Path) -> Service[Any]:
    """One of our services, or a class of the user's: `path/to/file.py:Class`.

    Raises:
        InputError: there is no such service.
    """
    if name in SERVICES:
        return SERVICES[name](home)
    path, colon, class_name = name.rpartition(":")
    if not colon:
        raise InputError(
            f"There is no service {name!r}. "
            f"Name any of {', '.join(SERVICES)}, all, or your own as path.py:Class."
        )
    return _loaded(Path(path), class_name)


def identity(name: str, version: str) -> ServiceRef:
    """A new instance's name for itself."""
    return ServiceRef(name=checked_service(name), version=version, instance=secrets.token_hex(4))


@asynccontextmanager
async def nats_url(settings: MeshSettings) -> AsyncIterator[str]:
    """The NATS server to use: the one that was named, or the embedded one."""
    named = settings.server()
    if named is not None:
        yield named
    else:
        async with embedded_nats(settings.home) as url:
            yield url


@asynccontextmanager
async def connection(
    url: str, cell: str, name: str = "lantern", patience: float = PATIENCE, traces: Traces | None = None
) -> AsyncIterator[Bus]:
    """A connection to a NATS server, with the stream in place; drained at the end of the block.

    `patience`: seconds that a request waits for a server that has gone away.
    """
    bus = await Bus.connect(url, identity(name, "1.0.0"), cell, patience, traces)
    try:
        await bus.cell.provision()
        yield bus
    finally:
        await bus.cell.close()


@asynccontextmanager
async def running(
    services: Sequence[Service[Any]],
    url: str,
    cell: str,
    settings: MeshSettings,
    scope: str = "*",
    *,
    as_shadows: bool = False,
) -> AsyncIterator[list[Runner[Any]]]:
    """Run services in this process for as long as the block lasts; inside it, all of them are ready.

    `as_shadows`: what they say is compared with what the live ones say, and not used. They share one
    connection, and wait without end for a server that goes away; metrics are served and traces sent, where
    that is set. A service that fails ends the block with its error; leaving the block drains every one.

    Raises:
        PortTaken: metrics cannot be served where they should be.
        TracesUnavailable: traces are asked for, but cannot be sent.
    """
    async with AsyncExitStack() as stack:
        pages = stack.enter_context(served(settings))
        traces = await stack.enter_async_context(tracing())
        connecting = connection(url, cell, _process_name(services), math.inf, traces)
        bus = await stack.enter_async_context(connecting)
        for service in services:
            if isinstance(service, AsksModels):
                service.is_shadow = as_shadows
        runners = [_runner(service, bus, settings, scope, as_shadows) for service in services]
        pages.tell_of(runner.presence.alive for runner in runners)
        async with asyncio.TaskGroup() as tasks:
            for runner in runners:
                tasks.create_task(runner.run())
            try:
                await asyncio.gather(*(runner.ready() for runner in runners))
                yield runners
            finally:
                for runner in runners:
                    runner.stop()


def _runner(
    service: Service[Any], bus: Bus, settings: MeshSettings, scope: str, as_shadow: bool
) -> Runner[Any]:
    own = bus.speaking_as(identity(service.name, service.version))
    return Runner(service, own, settings, scope, as_shadow=as_shadow)


def _process_name(services: Sequence[Service[Any]]) -> str:
    return services[0].name if len(services) == 1 else "mesh"


def _loaded(path: Path, class_name: str) -> Service[Any]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"There is no Python file at {path}. Name a service as path/to/file.py:Class.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Service)):
        raise InputError(f"{path} has no service class {class_name!r}. Derive it from FragmentService.")
    return found()
