"""The durable consumer of a service: at least once, in stream order, shared by its instances."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import APIError, NotFoundError

from mesh.bus import Bus
from mesh.settings import MeshSettings
from mesh.subjects import STREAM, durable_name, wildcard
from schemas.base import Kind

FETCH = 0.5
"""Seconds of one pull request; also how long a stop may take to be noticed."""

FORGOTTEN_AFTER = 600.0
"""Seconds after which the server removes a single session's consumer that nobody reads."""

log = structlog.get_logger()


@dataclass(slots=True)
class Inbox:
    """What a service reads from the record: some kinds of message, of all sessions or of one."""

    bus: Bus
    kinds: Sequence[Kind]
    scope: str
    settings: MeshSettings
    stopping: bool = False

    @property
    def durable(self) -> str:
        """The consumer's name: of the service, not of the instance."""
        return durable_name(self.bus.cell, self.bus.me.name, self.scope)

    async def provision(self) -> None:
        """Make the durable consumer, or bring it up to date; harmless to repeat."""
        try:
            info = await self.bus.jsm.consumer_info(STREAM, self.durable)
            policy = info.config.deliver_policy
        except NotFoundError:
            policy = DeliverPolicy.NEW if self.scope == "*" else DeliverPolicy.ALL
        await self.bus.jsm.add_consumer(STREAM, self._config(policy))

    async def remove(self) -> None:
        """Remove a single session's consumer; one of a whole cell stays for the next instance."""
        if self.scope != "*" and self.bus.nc.is_connected:
            try:
                await self.bus.jsm.delete_consumer(STREAM, self.durable)
            except (APIError, TimeoutError):
                log.warning("consumer_left", durable=self.durable)

    async def read(self, deliver: Callable[[Msg], Awaitable[None]]) -> None:
        """Hand over one message after the other until told to stop; survives the consumer's deletion."""
        pull = await self.bus.js.pull_subscribe_bind(consumer=self.durable, stream=STREAM)
        try:
            while not self.stopping and not self.bus.nc.is_closed:
                await self._fetch(pull, deliver)
        finally:
            if not self.bus.nc.is_closed:
                await pull.unsubscribe()  # else the connection's drain waits for what fetch() left uncounted

    async def _fetch(
        self, pull: JetStreamContext.PullSubscription, deliver: Callable[[Msg], Awaitable[None]]
    ) -> None:
        try:
            for message in await pull.fetch(1, timeout=FETCH):
                await deliver(message)
        except (TimeoutError, ConnectionClosedError):
            return
        except APIError as error:
            log.warning("consumer_lost", durable=self.durable, error=str(error.description))
            await self._recover()

    async def _recover(self) -> None:
        await asyncio.sleep(FETCH)
        try:
            await self.bus.provision()
            await self.provision()
        except (APIError, TimeoutError) as error:
            log.warning("consumer_not_back", durable=self.durable, error=str(error))

    def _config(self, policy: DeliverPolicy | None) -> ConsumerConfig:
        return ConsumerConfig(
            durable_name=self.durable,
            deliver_policy=policy,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.settings.ack_wait,
            max_deliver=-1,
            max_ack_pending=1000,
            filter_subjects=[wildcard(self.bus.cell, self.scope, kind) for kind in self.kinds],
            inactive_threshold=FORGOTTEN_AFTER if self.scope != "*" else None,
        )
