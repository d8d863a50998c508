"""A cell in which services are replayed: they get a record's messages, and it waits for their answers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog
from nats.errors import Error as NatsError
from nats.js.api import Header
from nats.js.errors import APIError

from mesh.errors import BusUnreachable
from mesh.nats.codec import encode, envelope_address
from mesh.nats.connection import reason_of
from mesh.nats.stream import ALREADY_THERE
from mesh.nats.subjects import message_id, subject_of
from mesh.record.bus import Bus
from mesh.replay.replayed_record import TOLD
from mesh.runner.dead_letters import every
from mesh.runner.runner import Runner
from schemas.base import Kind
from schemas.envelope import Envelope

PATIENCE = 30.0
"""Seconds that a service may take for its messages. A slower service is not waited for until it has caught
up."""

POLL_INTERVAL = 0.001
"""Seconds between two checks whether the services have caught up."""

log = structlog.get_logger()


@dataclass(slots=True)
class ReplayCell:
    """Services of one process that are replayed together in a cell of their own."""

    bus: Bus
    """The bus of the cell."""
    session: str
    runners: Sequence[Runner[Any]]
    _fed: Counter[Kind] = field(default_factory=Counter)
    _stuck: set[str] = field(default_factory=set)

    @property
    def services(self) -> frozenset[str]:
        """The names of the services that are replayed here."""
        return frozenset(runner.service.name for runner in self.runners)

    @property
    def reads(self) -> frozenset[Kind]:
        """The kinds that the services here read; what they were told is always among them."""
        return frozenset((*TOLD, *(kind for runner in self.runners for kind in runner.consumer.kinds)))

    async def feed(self, messages: Iterable[Envelope]) -> None:
        """Publish messages of another cell's record in this cell, in the name of their services.

        Raises:
            BusUnreachable: the server did not take them.
        """
        acks = []
        for message in messages:
            here = self._here(message)
            address = envelope_address(here)
            headers = {Header.MSG_ID: message_id(address)}
            ack = await self.bus.cell.js.publish_async(subject_of(address), encode(here), headers=headers)
            acks.append((here.kind, ack))
        for kind, ack in acks:
            self._fed[kind] += await _stored(ack)

    async def settled(self) -> None:
        """Wait until every service has handled its messages, or takes too long."""
        since = time.monotonic()
        while (behind := self._behind()) - self._stuck:
            if time.monotonic() - since > PATIENCE:
                break
            await asyncio.sleep(POLL_INTERVAL)
        self._stuck = behind

    async def published(self, service: str, kind: Kind, step: int) -> Envelope | None:
        """The message that a service has published here about a step; None: none of that kind.

        Raises:
            BusUnreachable: the server does not answer.
        """
        try:
            message = await self.bus.reader.read_at(self.session, kind, step, service)
        except (NatsError, TimeoutError) as error:
            raise BusUnreachable(
                f"NATS did not answer in the replay ({reason_of(error)}). Is its server still running?"
            ) from error
        return message if message is not None and message.service.name == service else None

    async def reason_for_silence(self, service: str, step: int) -> str:
        """The reason why a service has published nothing about a step, in a line."""
        if service in self._stuck:
            return f"no answer within {PATIENCE:g} s"
        async for letter in every(self.bus.cell, self.session, service):
            if letter.subject.split(".")[4] == str(step):
                return letter.letter.error
        return ""

    def _here(self, message: Envelope) -> Envelope:
        cause = message.cause and f"{self.bus.cell.name}.{message.cause.partition('.')[2]}"
        return message.model_copy(
            update={"cell": self.bus.cell.name, "cause": cause, "time": self.bus.cell.now()}
        )

    def _behind(self) -> set[str]:
        return {runner.service.name for runner in self.runners if self._is_behind(runner)}

    def _is_behind(self, runner: Runner[Any]) -> bool:
        counts = runner.delivery.counts()
        fed = sum(self._fed[kind] for kind in {*runner.consumer.kinds})
        return counts["lag"] > 0 or counts["handled"] + counts["failed"] < fed


async def clear(bus: Bus, session: str) -> None:
    """Remove the session from the bus's cell; if the server does not answer, a later replay removes it."""
    try:
        if bus.cell.is_connected:
            await bus.writer.delete(session)
    except (NatsError, TimeoutError) as error:
        log.warning("replay_left", cell=bus.cell.name, error=reason_of(error))


async def _stored(ack: asyncio.Future[Any]) -> bool:
    """Whether a message was stored; False: its subject has a message already.

    Raises:
        BusUnreachable: the message was refused, or not acknowledged in time.
    """
    try:
        async with asyncio.timeout(10):
            await ack
    except APIError as error:
        if error.err_code == ALREADY_THERE:
            return False
        raise BusUnreachable(
            f"NATS refused a message of the replay: {error.description}. See its log."
        ) from error
    except (NatsError, TimeoutError) as error:
        raise BusUnreachable(
            f"NATS took no message of the replay ({reason_of(error)}). Is its server still running?"
        ) from error
    return True
