"""Runs services together in one process."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from language_model.sub_agents.model_access import ModelAccess
from lantern.nats.connection import connection, identity
from mesh.observability.http import serve_pages
from mesh.observability.tracing import tracing
from mesh.record.bus import Bus
from mesh.runner.runner import Runner
from mesh.runner.service import Service
from mesh.settings import MeshSettings


@asynccontextmanager
async def running(
    services: Sequence[Service[Any]],
    url: str,
    cell: str,
    settings: MeshSettings,
    scope: str = "*",
    *,
    as_shadows: bool = False,
    replacing: bool = False,
) -> AsyncIterator[list[Runner[Any]]]:
    """Run services in this process for as long as the block lasts; inside it, all of them are ready.

    `as_shadows`: what they say is compared with what the live ones say, and not used. `replacing`: other
    instances of the same services stand by meanwhile. They share one
    connection, and wait without end for a server that goes away; metrics are served and traces sent, where
    that is set. A service that fails ends the block with its error; leaving the block drains every one.

    Raises:
        PortTaken: metrics cannot be served where they should be.
        TracesUnavailable: traces are asked for, but cannot be sent.
    """
    async with AsyncExitStack() as stack:
        pages = stack.enter_context(serve_pages(settings))
        traces = await stack.enter_async_context(tracing())
        connecting = connection(url, cell, _process_name(services), math.inf, traces)
        bus = await stack.enter_async_context(connecting)
        for service in services:
            if isinstance(service, ModelAccess):
                service.is_shadow = as_shadows
        runners = [_runner(service, bus, settings, scope, as_shadows, replacing) for service in services]
        pages.set_services(runner.presence.alive for runner in runners)
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
    service: Service[Any], bus: Bus, settings: MeshSettings, scope: str, as_shadow: bool, replacing: bool
) -> Runner[Any]:
    own = bus.speaking_as(identity(service.name, service.version))
    return Runner(service, own, settings, scope, as_shadow=as_shadow, replacing=replacing)


def _process_name(services: Sequence[Service[Any]]) -> str:
    return services[0].name if len(services) == 1 else "mesh"
