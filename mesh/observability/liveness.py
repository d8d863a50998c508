"""Who is live: services say so every second, and at once when their state changes."""

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
"""Every service of the NATS micro protocol answers this with its statistics."""


@dataclass(slots=True)
class LivenessTracker:
    """The services of a cell that have been heard of lately."""

    dead_after: float
    monotonic: Callable[[], float] = time.monotonic
    _heard: dict[str, tuple[float, ServiceAlive]] = field(default_factory=dict)

    async def open(self, cell: Cell) -> None:
        """Listen to heartbeats, and ask who is there already; they have answered when this returns."""
        await cell.nc.subscribe(live_subject(cell.name), cb=self._on_heartbeat)
        for alive in await who_is_live(cell):
            self.note(alive)

    def note(self, alive: ServiceAlive) -> None:
        """A service has said that it is there, or that it is leaving."""
        _, known = self._heard.get(alive.instance, (0.0, alive))
        if known.time > alive.time:
            return  # older news, heard later
        if alive.state is ServiceState.DRAINING:
            self._heard.pop(alive.instance, None)
        else:
            self._heard[alive.instance] = (self.monotonic(), alive)

    def live(self) -> tuple[ServiceAlive, ...]:
        """Everyone heard of within `dead_after` seconds."""
        oldest = self.monotonic() - self.dead_after
        self._heard = {key: entry for key, entry in self._heard.items() if entry[0] >= oldest}
        return tuple(alive for _, alive in self._heard.values())

    def fragment_services(self, session: str, since: datetime) -> frozenset[str]:
        """The names of the live services that answer a step of a session, published at `since`."""
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
    """What a NATS micro answer tells of one of our services; None: it is not ours."""
    try:
        return ServiceAlive.model_validate(json.loads(data)["endpoints"][0]["data"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None


async def gather(cell: Cell, subject: str, *, seconds: float = 0.15) -> list[bytes]:
    """All answers to a question that many may answer, until it stays silent for `seconds`."""
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
    told = [alive_from_stats(data) for data in await gather(cell, STATS)]
    live = [alive for alive in told if alive is not None and alive.cell == cell.name]
    return sorted(live, key=lambda alive: (alive.name, alive.instance))


async def who_is_ready(cell: Cell, patience: float) -> list[ServiceAlive]:
    """Who serves, as soon as nobody of them is just starting, or after `patience` seconds."""
    until = time.monotonic() + patience
    while True:
        live = await who_serves(cell)
        if time.monotonic() > until or all(alive.state is not ServiceState.WARMING for alive in live):
            return live


async def who_serves(cell: Cell) -> list[ServiceAlive]:
    """Those of them whose answers are used: no shadows."""
    return [alive for alive in await who_is_live(cell) if alive.shadow is None]
