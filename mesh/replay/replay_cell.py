"""A cell in which services are replayed: it gives them a record's messages and waits for their answers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from nats.errors import Error as NatsError
from nats.js.api import Header
from nats.js.errors import APIError

from mesh.errors import BusUnreachable
from mesh.nats.codec import encode, place_named_by
from mesh.nats.connection import reason_of
from mesh.nats.subjects import live_subject, message_id, subject_of
from mesh.record.bus import Bus
from mesh.record.writer import ALREADY_THERE
from mesh.runner.dead_letters import every
from mesh.runner.runner import Runner
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.mesh import ServiceAlive, ServiceState

PATIENCE = 30.0
"""Seconds that a service may take for what it is given; one that takes longer is not waited for again until
it has caught up."""

LOOKS_EVERY, SAYS_AGAIN_EVERY = 0.001, 0.05
"""Seconds."""

LONG_AGO = timedelta(days=1)
"""What is that old has missed every deadline."""

log = structlog.get_logger()


@dataclass(slots=True)
class ReplayCell:
    """Services of one process that are replayed side by side, alone in a cell."""

    bus: Bus
    """In the stage's cell."""
    session: str
    runners: Sequence[Runner[Any]]
    _fed: Counter[Kind] = field(default_factory=Counter)
    _announced: dict[str, ServiceAlive] = field(default_factory=dict)
    _stuck: set[str] = field(default_factory=set)

    @property
    def services(self) -> frozenset[str]:
        """The names of the services that are replayed here."""
        return frozenset(runner.service.name for runner in self.runners)

    @property
    def reads(self) -> frozenset[Kind]:
        """The kinds that a service here reads; the model's replies are always among them."""
        return frozenset((Kind.MODEL, *(kind for runner in self.runners for kind in runner.consumer.kinds)))

    async def feed(self, messages: Iterable[Envelope], *, late: bool = False) -> None:
        """Publish messages of another cell's record here, as those who said them.

        `late`: a step among them is too old for any deadline.

        Raises:
            BusUnreachable: the server did not take them.
        """
        acks = []
        for message in messages:
            here = self._here(message, LONG_AGO if late and message.kind is Kind.STEP else timedelta())
            place = place_named_by(here)
            headers = {Header.MSG_ID: message_id(place)}
            ack = await self.bus.cell.js.publish_async(subject_of(place), encode(here), headers=headers)
            acks.append((here.kind, ack))
        for kind, ack in acks:
            self._fed[kind] += await _stored(ack)

    async def announce(self, live: Iterable[Envelope | str]) -> None:
        """Say for fragment services that are not replayed here that they are live, and for no others.

        A service is named by a message of its own, or by its name alone.
        """
        told = {alive.name: alive for alive in map(self._alive, live)}
        gone = self._announced.keys() - told.keys()
        states = {**{name: self._announced[name] for name in gone}, **told}
        for name, alive in states.items():
            state = ServiceState.DRAINING if name in gone else ServiceState.READY
            said = alive.model_copy(update={"state": state, "time": self.bus.cell.now()})
            subject = live_subject(self.bus.cell.name, alive.name, alive.instance)
            await self.bus.cell.nc.publish(subject, said.model_dump_json().encode())
        self._announced = told

    async def settled(self, again: Sequence[Envelope] = ()) -> None:
        """Wait until every service has dealt with all that it was given, or takes too long.

        `again` is meanwhile said again and again, outside the record: to who forgot it in a resume.
        """
        since, said = time.monotonic(), 0
        while (behind := self._behind()) - self._stuck:
            waited = time.monotonic() - since
            if waited > PATIENCE:
                break
            if again and waited > said * SAYS_AGAIN_EVERY:
                said += 1
                await self._say(again)
            await asyncio.sleep(LOOKS_EVERY)
        self._stuck = behind

    async def answer(self, service: str, kind: Kind, step: int) -> Envelope | None:
        """What a service has said here about a step; None: nothing (of that kind).

        Raises:
            BusUnreachable: the server does not answer.
        """
        try:
            held = await self.bus.reader.read_at(self.session, kind, step, service)
        except (NatsError, TimeoutError) as error:
            raise BusUnreachable(
                f"NATS does not tell what was replayed ({reason_of(error)}). Is its server still running?"
            ) from error
        return held if held is not None and held.service.name == service else None

    async def why_silent(self, service: str, step: int) -> str:
        """Why a service has said nothing about a step, in a line."""
        if service in self._stuck:
            return f"no answer within {PATIENCE:g} s"
        async for letter in every(self.bus.cell, self.session, service):
            if letter.subject.split(".")[4] == str(step):
                return letter.letter.error
        return ""

    async def _say(self, messages: Iterable[Envelope]) -> None:
        for message in messages:
            here = self._here(message, timedelta())
            await self.bus.cell.nc.publish(subject_of(place_named_by(here)), encode(here))

    def _here(self, message: Envelope, age: timedelta) -> Envelope:
        cause = message.cause and f"{self.bus.cell.name}.{message.cause.partition('.')[2]}"
        told = {"cell": self.bus.cell.name, "cause": cause, "time": self.bus.cell.now() - age}
        return message.model_copy(update=told)

    def _alive(self, service: Envelope | str) -> ServiceAlive:
        name = service if isinstance(service, str) else service.service.name
        return ServiceAlive(
            name=name,
            version="" if isinstance(service, str) else service.service.version,
            instance=f"{name}-recorded",
            cell=self.bus.cell.name,
            scope=self.session,
            gives_fragments=True,
            time=self.bus.cell.now(),
        )

    def _behind(self) -> set[str]:
        return {runner.service.name for runner in self.runners if self._is_behind(runner)}

    def _is_behind(self, runner: Runner[Any]) -> bool:
        counts = runner.delivery.counts()
        given = sum(self._fed[kind] for kind in {*runner.consumer.kinds})
        return counts["lag"] > 0 or counts["handled"] + counts["failed"] < given


async def clear(bus: Bus, session: str) -> None:
    """Remove all that a stage has left in the bus's cell; where the server is gone, a later replay does."""
    try:
        if bus.cell.nc.is_connected:
            await bus.writer.delete(session)
    except (NatsError, TimeoutError) as error:
        log.warning("replay_left", cell=bus.cell.name, error=reason_of(error))


async def _stored(ack: asyncio.Future[Any]) -> bool:
    """Whether a message was stored; not: its place was taken.

    Raises:
        BusUnreachable: it was refused, or not acknowledged in time.
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
