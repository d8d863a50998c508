"""The durable consumer of a service: creates, checks and removes it, and restores one that was deleted."""

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
"""Seconds between two attempts when the server fails a request."""

REMOVAL_TIMEOUT = 3.0
"""Seconds that the removal of a consumer may take."""

REMOVED_AFTER = 600.0
"""Seconds after which the server removes an instance's own consumer that nobody reads."""

log = structlog.get_logger()


@dataclass(slots=True)
class Consumer:
    """A consumer of some kinds of message, of all sessions of a cell or of one.

    `alone`: no other instance shares it (a shadow's); it is removed with the instance. A consumer that is
    created again begins with the first message that was not acknowledged. Messages may then come twice, which
    is harmless.
    """

    cell: Cell
    kinds: Sequence[Kind]
    scope: str
    settings: MeshSettings
    record_lost: Callable[[], Awaitable[None]] | None = None
    """Called when the stream was replaced by another: what was read from the former is outdated then."""
    alone: bool = False
    last_sign: float = field(default_factory=time.monotonic)
    """When the server last sent a sign of life for this consumer, in monotonic seconds."""
    ack_wait: float = field(init=False)
    """Seconds after which the server redelivers a message that is not acknowledged."""
    _stream: datetime | None = None
    """When the stream was created: this distinguishes it from another one of the same name."""
    _floor: int = 0
    """The sequence number up to which all messages are known to be acknowledged."""

    def __post_init__(self) -> None:
        self.ack_wait = self.settings.ack_wait

    @property
    def durable(self) -> str:
        """The consumer's name: that of the service, shared by its instances unless `alone`."""
        shared = durable_name(self.cell.name, self.cell.me.name, self.scope)
        return f"{shared}-{self.cell.me.instance}" if self.alone else shared

    @property
    def shared(self) -> bool:
        """Whether all instances of the service share the consumer, so that it outlives them."""
        return self.scope == "*" and not self.alone

    async def provision(self) -> None:
        """Create the consumer at the server; it begins with messages published from now on.

        If a consumer of the whole cell exists, it continues where it was. A leftover consumer of a single
        session is created again: the service folds earlier steps from the record.

        A consumer with other time limits that this user may not update is used as it is.

        Raises:
            NotAllowed: the consumer is missing or gets other messages, and this user may not change that.
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

    async def look_after(self) -> None:
        """Ask the server for its position; if it (or the stream) was deleted, create it again."""
        try:
            await self._look_for_stream()
            self._note(await self.cell.jsm.consumer_info(STREAM, self.durable))
        except NotFoundError:
            await self._make_again()
        except (APIError, NotAllowed, *TRANSIENT_FAULTS) as error:
            log.warning("consumer_unknown", durable=self.durable, error=str(error))
            await asyncio.sleep(PAUSE)

    async def lacks_none_before(self, sequence: int, in_hand: int) -> bool:
        """Whether the server shows that no message before `sequence` is yet to be redelivered.

        It does so if all before are acknowledged, or no more than those `in_hand` here are not acknowledged.
        """
        try:
            info = await self.cell.jsm.consumer_info(STREAM, self.durable)
        except (APIError, NotAllowed, *TRANSIENT_FAULTS):
            return False
        floor = info.ack_floor.stream_seq if info.ack_floor else 0
        return floor >= sequence - 1 or (info.num_ack_pending or 0) <= in_hand

    def note_sign(self) -> None:
        """Note a sign of life of the server."""
        self.last_sign = time.monotonic()

    async def remove(self) -> None:
        """Remove an instance's own consumer; that of a whole cell stays for the next instance."""
        if not self.shared and self.cell.nc.is_connected:
            try:
                async with asyncio.timeout(REMOVAL_TIMEOUT):
                    await self.cell.jsm.delete_consumer(STREAM, self.durable)
            except NotFoundError:
                return
            except (APIError, BusUnreachable, NotAllowed, TimeoutError):
                log.warning("consumer_left", durable=self.durable)

    async def _provision_for_all(self) -> None:
        existing = await self._existing()
        start = (existing.deliver_policy, existing.opt_start_seq) if existing else (DeliverPolicy.NEW, None)
        wanted = self._config(*start)  # the start of an existing consumer cannot be changed
        if existing is not None and _settings_of(existing) == _settings_of(wanted):
            return
        is_operators = self.cell.events.user == self.cell.me.name  # a user of its own may change nothing
        if is_operators and existing is not None and _filter_of(existing) == _filter_of(wanted):
            self.ack_wait = existing.ack_wait or self.ack_wait
            told = {"durable": self.durable, "ack_wait": self.ack_wait, "wanted": wanted.ack_wait}
            log.warning("consumer_outdated", **told, hint=PROVISION)
            return
        await self.cell.jsm.add_consumer(STREAM, wanted)

    async def _existing(self) -> ConsumerConfig | None:
        """The consumer's configuration at the server; None: there is no consumer."""
        try:
            config: ConsumerConfig = (await self.cell.jsm.consumer_info(STREAM, self.durable)).config
        except NotFoundError:
            return None
        return config

    def _not_allowed(self) -> NotAllowed:
        name, cell = self.cell.me.name, self.cell.name
        serve = f"Run `lantern serve {name}` for the whole cell {cell}."
        instead = f"Stop the instance that is live, and run `lantern serve` with {name} instead."
        hint = instead if self.alone else PROVISION if self.scope == "*" else serve
        return NotAllowed(
            self.cell.events.who, f"create the consumer {self.durable} as this version needs it", hint
        )

    async def _make_again(self) -> None:
        log.warning("consumer_lost", durable=self.durable)
        try:
            await self.cell.provision()
            await self._look_for_stream()
            config = self._config(DeliverPolicy.BY_START_SEQUENCE, self._floor + 1)
            self._note(await self.cell.jsm.add_consumer(STREAM, config))
            log.info("consumer_back", durable=self.durable, after=self._floor)
        except (APIError, BusUnreachable, NotAllowed, *TRANSIENT_FAULTS) as error:
            log.warning("consumer_not_back", durable=self.durable, error=str(error))
            await asyncio.sleep(PAUSE)

    async def _look_for_stream(self) -> None:
        """Notice that the stream was replaced by another, in which the sequence numbers begin anew."""
        created = (await self.cell.jsm.stream_info(STREAM)).created
        if created != self._stream:
            log.error("record_lost", why="The stream was deleted, and all sessions in it are lost.")
            self._stream, self._floor = created, 0
            if self.record_lost is not None:
                await self.record_lost()

    def _note(self, info: ConsumerInfo) -> None:
        self.note_sign()
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
            inactive_threshold=None if self.shared else REMOVED_AFTER,
        )


def kinds_for(reads: Iterable[type[Message]]) -> list[Kind]:
    """The kinds for the consumer of a service that reads these messages: also a session's start and end."""
    return [Kind.STARTED, Kind.ENDED, *(message.kind for message in reads)]


def _settings_of(config: ConsumerConfig) -> tuple[object, ...]:
    """The settings that must be as this version needs them."""
    return _filter_of(config), config.ack_wait, config.max_ack_pending, config.max_deliver


def _filter_of(config: ConsumerConfig) -> frozenset[str]:
    return frozenset(config.filter_subjects or ())
