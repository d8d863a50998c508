"""Announces an instance: heartbeats, and the NATS micro protocol with statistics and request handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import structlog
from nats.errors import ConnectionReconnectingError
from nats.micro.request import Request
from nats.micro.service import EndpointConfig, ServiceConfig
from nats.micro.service import Service as MicroService

from mesh.errors import FailureError
from mesh.metrics import HEALTHY, HEARTBEAT
from mesh.nats.subjects import ask_subject, live_subject
from mesh.observability.liveness import stats_of
from mesh.record.bus import Bus
from mesh.runner.service import Endpoint, Service, Session
from mesh.runner.shadow import Shadow
from mesh.settings import MeshSettings
from schemas.catalogue import summary_of
from schemas.mesh import ServiceAlive, ServiceState

log = structlog.get_logger()


class Heartbeat:
    """Publishes an instance's state with its `counts`: handled, failed, lag, health."""

    def __init__(
        self,
        service: Service[Any],
        bus: Bus,
        settings: MeshSettings,
        scope: str,
        counts: Callable[[], dict[str, Any]],
        find_session: Callable[[str], Session[Any] | None],
        shadow: Shadow | None = None,
    ) -> None:
        self.service, self.bus, self.settings, self.scope = service, bus, settings, scope
        self.shadow = shadow
        self.state = ServiceState.WARMING
        self.replaces: int | None = None
        """The message after which this instance serves in place of the others."""
        self._since: datetime | None = None
        self._micro: MicroService
        self._counts, self._find_session = counts, find_session

    def alive(self) -> ServiceAlive:
        """The heartbeat now. It may be called from another thread."""
        alive = ServiceAlive(
            name=self.service.name,
            version=self.service.version,
            instance=self.bus.cell.me.instance,
            cell=self.bus.cell.name,
            scope=self.scope,
            gives_fragments=self.service.gives_fragments and self.shadow is None,
            shadow=self.shadow.counts if self.shadow else None,
            state=self.state,
            misses=dict(self.service.misses()),
            since=self._since,
            replaces=self.replaces,
            time=self.bus.cell.now(),
            **self._counts(),
        )
        self.bus.telemetry.meter.of(HEALTHY).set(alive.healthy)
        return alive

    async def turn(self, state: ServiceState) -> None:
        """Change the state, and publish it at once."""
        self.state = state
        if state is ServiceState.READY:
            self._since = self.bus.cell.now()
        await self._say_alive()
        log.info("service_" + state, service=self.service.name, version=self.service.version)

    async def beat(self) -> None:
        """Publish heartbeats regularly."""
        while True:
            await asyncio.sleep(self.settings.heartbeat)
            await self._say_alive()

    async def appear(self, asked: Mapping[str, Endpoint]) -> None:
        """Join NATS micro, and serve these requests from now on."""
        config = ServiceConfig(
            name=self.service.name,
            version=self.service.version,
            description=summary_of(type(self.service)),
            metadata={"cell": self.bus.cell.name, "scope": self.scope, "instance": self.bus.cell.me.instance},
            stats_handler=lambda _: stats_of(self.alive(), self.service.known_instances()),
        )
        self._micro = MicroService(self.bus.cell.nc, config)
        with suppress(ConnectionReconnectingError):  # the client subscribes again when the server is back
            await self._micro.start()
        await self.answer(asked)

    async def withdraw(self) -> None:
        """Serve no requests, until `appear`."""
        with suppress(ConnectionReconnectingError):  # then it still answers the pings of NATS micro
            await self._micro.stop()

    async def answer(self, asked: Mapping[str, Endpoint]) -> None:
        """Serve further requests."""
        for verb, (question, handler) in asked.items():
            await self._micro.add_endpoint(self._endpoint(verb, question, handler))

    async def _say_alive(self) -> None:
        if self.bus.cell.nc.is_connected:
            subject = live_subject(self.bus.cell.name, self.service.name, self.bus.cell.me.instance)
            await self.bus.cell.nc.publish(subject, self.alive().model_dump_json().encode())
            self.bus.telemetry.meter.of(HEARTBEAT).set_to_current_time()

    def _endpoint(self, verb: str, question: Any, handler: Any) -> EndpointConfig:
        async def serve(request: Request) -> None:
            asked = question.model_validate_json(request.data)
            session = self._find_session(asked.session) if "session" in question.model_fields else None
            try:
                answer = await handler(asked, session)
            except FailureError as error:
                await request.respond_error("500", str(error))
            else:
                await request.respond(answer.model_dump_json().encode())

        asked_of = (
            self.bus.cell.me.instance if self.shadow else self.scope
        )  # nobody asks a shadow by accident
        subject = ask_subject(self.bus.cell.name, self.service.name, verb, asked_of)
        group = self.bus.cell.me.instance if verb in self.service.asked_everywhere else None
        return EndpointConfig(name=verb, handler=serve, subject=subject, queue_group=group)
