"""The durable consumer that a service reads by: made, looked after, made again where it is gone, removed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy
from nats.js.errors import APIError, NotFoundError

from mesh.errors import BusUnreachable, NotAllowed
from mesh.nats.cell import Cell
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.nats.stream import PROVISION
from mesh.nats.subjects import STREAM, durable_name, wildcard
from mesh.settings import MeshSettings
from schemas.base import Kind, Message

PAUSE = 0.5
"""Seconds after what the server did not tell or do, before it is asked again."""

LEAVES_WITHIN = 3.0
"""Seconds that the removal of a consumer may take."""

FORGOTTEN_AFTER = 600.0
"""Seconds after which the server removes a consumer of one instance's own that nobody reads."""

log = structlog.get_logger()


@dataclass(slots=True)
class Consumer:
    """What the server keeps for a service: some kinds of message, of all sessions or of one.

    `alone`: no other instance shares it (a shadow's); it ends with the instance. A consumer that is made
    again begins with the first message that was not acknowledged; what had been handled comes twice then,
    which is harmless.
    """

    cell: Cell
    kinds: Sequence[Kind]
    scope: str
    settings: MeshSettings
    record_lost: Callable[[], Awaitable[None]] | None = None
    """Called when the stream is another than before: nothing that is held of any session holds any more."""
    alone: bool = False
    last_sign: float = field(default_factory=time.monotonic)
    """When the server was last heard of about this consumer, in monotonic seconds."""
    _stream: datetime | None = None
    """When the stream was made: what tells it from another of the same name."""
    _floor: int = 0
    """The last sequence number up to which everything has been acknowledged, as far as it is known here."""

    @property
    def durable(self) -> str:
        """The consumer's name: of the service, not of the instance."""
        shared = durable_name(self.cell.name, self.cell.me.name, self.scope)
        return f"{shared}-{self.cell.me.instance}" if self.alone else shared

    @property
    def shared(self) -> bool:
        """Whether all instances of the service read by it, and it outlives them."""
        return self.scope == "*" and not self.alone

    async def provision(self) -> None:
        """Make it at the server; it begins with what comes now.

        One of a whole cell that is there already goes on where it stood; one of a single session, which
        somebody left behind, is made anew: what came before is folded from the record.

        Raises:
            NotAllowed: it is missing or outdated, and it is not for us to hint that.
        """
        try:
            if self.shared:
                await self._provision_for_all()
            else:
                await self.remove()
                await self.cell.jsm.add_consumer(STREAM, self._config(DeliverPolicy.NEW))
        except NotAllowed as error:
            raise self._not_allowed() from error
        self._stream = (await self.cell.jsm.stream_info(STREAM)).created
        self._note(await self.cell.jsm.consumer_info(STREAM, self.durable))

    async def look_after(self) -> bool:
        """Learn how far it is; False: it (or the stream) was gone, and is made again if that can be."""
        try:
            self._note(await self.cell.jsm.consumer_info(STREAM, self.durable))
        except NotFoundError:
            await self._make_again()
            return False
        except (APIError, NotAllowed, *TRANSIENT_FAULTS) as error:
            log.warning("consumer_unknown", durable=self.durable, error=str(error))
            await asyncio.sleep(PAUSE)
        return True

    def heard_of(self) -> None:
        """The server has just shown that it is there."""
        self.last_sign = time.monotonic()

    async def remove(self) -> None:
        """Remove one of this instance's own; that of a whole cell stays for the next instance."""
        if not self.shared and self.cell.nc.is_connected:
            try:
                async with asyncio.timeout(LEAVES_WITHIN):
                    await self.cell.jsm.delete_consumer(STREAM, self.durable)
            except NotFoundError:
                return
            except (APIError, BusUnreachable, NotAllowed, TimeoutError):
                log.warning("consumer_left", durable=self.durable)

    async def _provision_for_all(self) -> None:
        there = await self._there()
        begins = (there.deliver_policy, there.opt_start_seq) if there else (DeliverPolicy.NEW, None)
        wanted = self._config(*begins)
        if there is None or _told(there) != _told(wanted):
            await self.cell.jsm.add_consumer(STREAM, wanted)

    async def _there(self) -> ConsumerConfig | None:
        """The consumer as it is: where it began cannot be changed."""
        try:
            config: ConsumerConfig = (await self.cell.jsm.consumer_info(STREAM, self.durable)).config
        except NotFoundError:
            return None
        return config

    def _not_allowed(self) -> NotAllowed:
        name, cell = self.cell.me.name, self.cell.name
        serve = f"Run `lantern serve {name}` for the whole cell {cell}."
        hint = PROVISION if self.scope == "*" else serve
        return NotAllowed(
            self.cell.events.who, f"make the consumer {self.durable} as this version needs it", hint
        )

    async def _make_again(self) -> None:
        log.warning("consumer_lost", durable=self.durable)
        try:
            await self.cell.provision()
            self._note(await self.cell.jsm.add_consumer(STREAM, await self._config_again()))
            log.info("consumer_back", durable=self.durable, after=self._floor)
        except (APIError, BusUnreachable, NotAllowed, *TRANSIENT_FAULTS) as error:
            log.warning("consumer_not_back", durable=self.durable, error=str(error))
            await asyncio.sleep(PAUSE)

    async def _config_again(self) -> ConsumerConfig:
        """For a consumer that was lost: on from what was acknowledged; in another stream, everything."""
        made = (await self.cell.jsm.stream_info(STREAM)).created
        if made != self._stream:
            log.error("record_lost", told="The stream was deleted, and all sessions in it are gone.")
            if self.record_lost is not None:
                await self.record_lost()
            self._stream, self._floor = made, 0
        return self._config(DeliverPolicy.BY_START_SEQUENCE, self._floor + 1)

    def _note(self, info: ConsumerInfo) -> None:
        self.heard_of()
        if info.ack_floor is not None:
            self._floor = max(self._floor, info.ack_floor.stream_seq)

    def _config(self, policy: DeliverPolicy | None, start: int | None = None) -> ConsumerConfig:
        return ConsumerConfig(
            opt_start_seq=start,
            durable_name=self.durable,
            deliver_policy=policy,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.settings.ack_wait,
            max_deliver=-1,
            max_ack_pending=1000,
            mem_storage=not self.shared,
            filter_subjects=[wildcard(self.cell.name, self.scope, kind) for kind in self.kinds],
            inactive_threshold=None if self.shared else FORGOTTEN_AFTER,
        )


def kinds_for(reads: Iterable[type[Message]]) -> list[Kind]:
    """What the consumer of a service that reads these messages brings: a session's start and end too."""
    return [Kind.STARTED, Kind.ENDED, *(message.kind for message in reads)]


def _told(config: ConsumerConfig) -> tuple[object, ...]:
    """What makes a consumer fit or unfit for us."""
    return {*(config.filter_subjects or ())}, config.ack_wait, config.max_ack_pending, config.max_deliver
