"""Tracks which services are live: each sends a heartbeat every second and when its state changes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from nats.aio.msg import Msg
from pydantic import ValidationError

from mesh.nats.cell import Cell
from mesh.nats.subjects import live_subject
from schemas.mesh import ServiceAlive, ServiceState

STATS = "$SRV.STATS"
"""The subject on which every service of the NATS micro protocol answers with its statistics."""


@dataclass(slots=True)
class LivenessTracker:
    """The services of a cell whose heartbeats have come lately."""

    dead_after: float
    monotonic: Callable[[], float] = time.monotonic
    _last_seen: dict[str, tuple[float, ServiceAlive]] = field(default_factory=dict)

    async def open(self, cell: Cell) -> None:
        """Subscribe to heartbeats, and ask for the services that are live already."""
        await cell.nc.subscribe(live_subject(cell.name), cb=self._on_heartbeat)
        for alive in await who_is_live(cell):
            self.note(alive)

    def note(self, alive: ServiceAlive) -> None:
        """Take in a heartbeat: the service is live, or is leaving."""
        _, known = self._last_seen.get(alive.instance, (0.0, alive))
        if known.time > alive.time:
            return  # an older heartbeat that came later
        if alive.state is ServiceState.DRAINING:
            self._last_seen.pop(alive.instance, None)
        else:
            self._last_seen[alive.instance] = (self.monotonic(), alive)

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

    async def _on_heartbeat(self, message: Msg) -> None:
        try:
            self.note(ServiceAlive.model_validate_json(message.data))
        except ValidationError:
            return


def alive_from_stats(data: bytes) -> ServiceAlive | None:
    """The heartbeat in a NATS micro answer; None: it is not from a service of Lantern."""
    try:
        return ServiceAlive.model_validate(json.loads(data)["endpoints"][0]["data"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None


async def gather(cell: Cell, subject: str, *, seconds: float = 0.15) -> list[bytes]:
    """All answers to a request to many services, until none comes for `seconds`."""
    inbox = await cell.nc.subscribe(cell.nc.new_inbox())
    await cell.ready()
    await cell.nc.publish(subject, b"", reply=inbox.subject)
    answers: list[bytes] = []
    try:
        while True:
            answers.append((await inbox.next_msg(timeout=seconds)).data)
    except TimeoutError:
        return answers
    finally:
        await inbox.unsubscribe()


async def who_is_live(cell: Cell) -> list[ServiceAlive]:
    """Every live service instance of the cell, by name."""
    answers = [alive_from_stats(data) for data in await gather(cell, STATS)]
    live = [alive for alive in answers if alive is not None and alive.cell == cell.name]
    return sorted(live, key=lambda alive: (alive.name, alive.instance))


async def who_is_ready(cell: Cell, patience: float) -> list[ServiceAlive]:
    """The instances that serve, as soon as none of them is starting, or after `patience` seconds."""
    until = time.monotonic() + patience
    while True:
        live = await who_serves(cell)
        if time.monotonic() > until or all(alive.state is not ServiceState.WARMING for alive in live):
            return live


async def who_serves(cell: Cell) -> list[ServiceAlive]:
    """Every live service instance of the cell but shadows."""
    return [alive for alive in await who_is_live(cell) if alive.shadow is None]
