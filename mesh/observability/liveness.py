"""Tracks which services are live: each sends a heartbeat every second and when its state changes.

Heartbeats alone decide. Who has just come asks the services of Lantern, which answer for themselves by the
NATS micro protocol; the actor answers also for everybody else whose heartbeats it hears.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from nats.aio.client import NO_RESPONDERS_STATUS
from nats.aio.msg import Msg
from nats.js.api import Header
from pydantic import ValidationError

from mesh.nats.cell import Cell
from mesh.nats.codec import Undecodable, first_fault
from mesh.nats.subjects import live_subject
from schemas.catalogue import PARTIES
from schemas.mesh import ServiceAlive, ServiceState

MOST_AGENTS = 16
"""Sub-agents of the user's own that are known in one cell."""

MOST_INSTANCES = 16
"""Instances of one service that are known."""

STATS = "$SRV.STATS"
"""The subject on which every service of the NATS micro protocol answers with its statistics."""

FAULTS = 64
"""Subjects of invalid heartbeats that are remembered."""

FIRST_ANSWER = 2.0
"""Seconds to wait for the first answer of services that the server knows of."""

SILENCE = 0.15
"""Seconds without an answer after which no other is awaited; longer, where the first one took long."""

log = structlog.get_logger()


@dataclass(slots=True)
class LivenessTracker:
    """The services of a cell whose heartbeats have come lately."""

    dead_after: float
    monotonic: Callable[[], float] = time.monotonic
    faults: dict[str, str] = field(default_factory=dict)
    """Invalid heartbeats: what is wrong, by subject."""
    _last_seen: dict[tuple[str, str], tuple[float, ServiceAlive]] = field(default_factory=dict)
    """By name and instance."""

    async def open(self, cell: Cell) -> None:
        """Subscribe to heartbeats, and ask for the services that are live already."""
        await cell.nc.subscribe(live_subject(cell.name), cb=self.on_message)
        for alive in await who_is_live(cell):
            self.note(alive)

    def note(self, alive: ServiceAlive) -> None:
        """Take in a heartbeat: the service is live, or is leaving."""
        who = (alive.name, alive.instance)
        _, known = self._last_seen.get(who, (0.0, alive))
        if known.time > alive.time:
            return  # an older heartbeat that came later
        if alive.state is ServiceState.DRAINING:
            self._last_seen.pop(who, None)
        elif who in self._last_seen or self._has_room_for(alive.name):
            self._last_seen[who] = (self.monotonic(), alive)

    def _has_room_for(self, name: str) -> bool:
        """Whether another instance of this service is taken; made-up ones must not use up memory."""
        self.live()  # forgets those that are gone
        names = [known for known, _ in self._last_seen]
        agents = {known for known in names if known not in PARTIES}
        has_place = name in PARTIES or name in agents or len(agents) < MOST_AGENTS
        return has_place and names.count(name) < MOST_INSTANCES

    def live(self) -> tuple[ServiceAlive, ...]:
        """The services whose last heartbeat is at most `dead_after` seconds old."""
        oldest = self.monotonic() - self.dead_after
        self._last_seen = {key: entry for key, entry in self._last_seen.items() if entry[0] >= oldest}
        return tuple(alive for _, alive in self._last_seen.values())

    def fragment_services(self, session: str, since: datetime) -> frozenset[str]:
        """The names of the live services that publish a fragment about a step published at `since`."""
        return frozenset(
            alive.name
            for alive in self.live()
            if alive.gives_fragments
            and alive.state is ServiceState.READY
            and alive.scope in ("*", session)
            and (alive.since is None or alive.since <= since)
        )

    async def on_message(self, message: Msg) -> None:
        """Take in a message on a subject of heartbeats."""
        if (alive := valid_heartbeat(message, self.faults)) is not None:
            self.note(alive)


def valid_heartbeat(message: Msg, faults: dict[str, str]) -> ServiceAlive | None:
    """The heartbeat in a message; None: it is invalid, which is logged once for a subject.

    `faults`: what is wrong with the invalid ones so far, by subject.
    """
    try:
        return heartbeat_in(message.subject, message.data)
    except Undecodable as error:
        if message.subject not in faults and len(faults) < FAULTS:
            faults[message.subject] = str(error)
            log.warning("heartbeat_invalid", subject=message.subject, error=str(error))
        return None


def heartbeat_in(subject: str, data: bytes) -> ServiceAlive:
    """The heartbeat in `data`, found on `subject`.

    Raises:
        Undecodable: it is not valid, or its fields are not those of the subject.
    """
    where = f"The heartbeat on {subject} is invalid:"
    try:
        alive = ServiceAlive.model_validate_json(data)
    except ValidationError as error:
        raise Undecodable(f"{where} {first_fault(error)}") from error
    if live_subject(alive.cell, alive.name, alive.instance) != subject:
        raise Undecodable(f"{where} its cell, name and instance are not those of the subject.")
    return alive


def stats_of(alive: ServiceAlive, heard: Sequence[ServiceAlive]) -> dict[str, Any]:
    """What an instance answers when it is asked who is live."""
    return {**alive.model_dump(mode="json"), "heard": [other.model_dump(mode="json") for other in heard]}


def alive_from_stats(data: bytes) -> list[ServiceAlive]:
    """The instances in a NATS micro answer, its own first; none, if it is not from a service of Lantern."""
    try:
        told = json.loads(data)["endpoints"][0]["data"]
        return [ServiceAlive.model_validate(each) for each in (told, *told.get("heard", ()))]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return []


async def gather(cell: Cell, subject: str) -> list[bytes]:
    """All answers to a request to many services, until none has come for a while.

    None, at once, where the server says that nobody serves the subject. On a busy machine the first answer
    is late, and the others may be: they are awaited for four times as long as it took.
    """
    coming: asyncio.Queue[Msg] = asyncio.Queue()  # nats-py's own `next_msg` can swallow a cancellation
    inbox = await cell.nc.subscribe(cell.nc.new_inbox(), cb=coming.put)
    await cell.ready()
    asked = time.monotonic()
    await cell.nc.publish(subject, b"", reply=inbox.subject)
    answers: list[bytes] = []
    patience = FIRST_ANSWER
    try:
        while True:
            async with asyncio.timeout(patience):
                message = await coming.get()
            if (message.headers or {}).get(Header.STATUS) == NO_RESPONDERS_STATUS:
                return []
            answers.append(message.data)
            if len(answers) == 1:
                patience = max(SILENCE, 4 * (time.monotonic() - asked))
    except TimeoutError:
        return answers
    finally:
        await inbox.unsubscribe()


async def who_is_live(cell: Cell) -> list[ServiceAlive]:
    """Every live instance of the cell that answers for itself, by name."""
    answers = [alive_from_stats(data)[:1] for data in await gather(cell, STATS)]
    live = [alive for answer in answers for alive in answer if alive.cell == cell.name]
    return sorted(live, key=lambda alive: (alive.name, alive.instance))


async def who_is_ready(cell: Cell, names: Collection[str], patience: float) -> list[ServiceAlive]:
    """The instances that serve, as soon as none of them is starting, or after `patience` seconds.

    Where some services of these `names` are heard and others not, all are asked once more: a slow one must
    not be taken for one that is not there.
    """
    until = time.monotonic() + patience
    live = await who_serves(cell)
    while time.monotonic() < until and any(alive.state is ServiceState.WARMING for alive in live):
        live = await who_serves(cell)
    if live and not set(names) <= {alive.name for alive in live}:
        heard = {alive.instance for alive in live}
        live += [alive for alive in await who_serves(cell) if alive.instance not in heard]
    return live


async def who_serves(cell: Cell) -> list[ServiceAlive]:
    """Every live service instance of the cell but shadows."""
    return [alive for alive in await who_is_live(cell) if alive.shadow is None]


async def everybody(cell: Cell, tracker: LivenessTracker, listening: float) -> list[ServiceAlive]:
    """All live instances of the cell, by name. If no actor tells whom it hears, listen to heartbeats."""
    await cell.nc.subscribe(live_subject(cell.name), cb=tracker.on_message)
    told = [alive for data in await gather(cell, STATS) for alive in alive_from_stats(data)]
    for alive in told:
        if alive.cell == cell.name:
            tracker.note(alive)
    if not any(alive.name == "actor" and alive.cell == cell.name for alive in told):
        await asyncio.sleep(listening)
    return sorted(tracker.live(), key=lambda alive: (alive.name, alive.instance))
