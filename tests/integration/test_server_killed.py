"""The NATS server is killed and comes back: nothing lost, nothing doubled, nobody deaf."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from command import Lantern
from conftest import Mesh
from own_server import OwnServer
from test_mesh import a_wish, told
from test_resume import story_of
from test_runner import eventually

from lantern.compose import SERVICES, connection, service_named
from lantern.play import check_wish, play
from lantern.show import Silent
from lantern.summary import Summary
from mesh import dead_letters, record
from mesh.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken

STEPS = 40
KILLS = {
    (Kind.STEP, 4): 0.0,
    (Kind.FRAGMENT, 11): 0.5,
    (Kind.PROPOSAL, 18): 0.0,
    (Kind.VERDICT, 25): 4.0,
    (Kind.STEP, 32): 0.0,
}
"""The message at which the server is killed, and for how many seconds it stays away."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    server = OwnServer(tmp_path)
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture
def nats_url(server: OwnServer) -> str:
    """All of this file plays on a server of its own."""
    return server.url


@pytest.fixture
async def bus(nats_url: str, cell: str) -> AsyncIterator[Bus]:
    async with connection(nats_url, cell) as bus:
        yield bus


class Killer(Silent):
    """Kills the server at some messages of the session, and starts it again."""

    kinds = tuple(Kind)

    def __init__(self, server: OwnServer) -> None:
        self.server, self.due = server, dict(KILLS)
        self.restarts: list[asyncio.Task[None]] = []

    def saw(self, envelope: Envelope) -> None:
        pause = self.due.pop((envelope.kind, envelope.step), None)
        if pause is not None:
            self.server.kill()
            self.restarts.append(asyncio.ensure_future(self._start_after(pause)))

    async def _start_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.server.start)


async def messages_of(bus: Bus, session: str) -> Counter[tuple[Kind, int, str]]:
    """How often each message of a session is in its record."""
    return Counter([(e.kind, e.step, e.service.name) async for e in record.messages(bus, session)])


@pytest.mark.parametrize("served", [False, True], ids=["for one session", "for a whole cell"])
async def test_five_kills_of_the_server_lose_nothing_and_double_nothing(
    bus: Bus, mesh: Mesh, server: OwnServer, nats_url: str, settings: MeshSettings, served: bool
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    if served:
        await mesh.run(*(service_named(name, settings.home) for name in SERVICES))
    killer, summaries = Killer(server), dict[str, Summary]()
    for session, watcher in (("calm", Silent()), ("killed", killer)):
        wish = a_wish(bus.cell, steps=STEPS, session=session)
        summaries[session] = await play(wish, check_wish(wish), settings, watcher)

    calm, killed = [story_of(await told(bus, StepTaken, session)) for session in ("calm", "killed")]
    counted = await messages_of(bus, "killed")

    assert server.kills == 5
    assert [step[0] for step in killed] == list(range(STEPS + 1))
    assert killed == calm
    assert counted == await messages_of(bus, "calm")
    assert set(counted.values()) == {1}
    assert summaries["killed"].as_json()["degraded_steps"] == 0
    assert [letter async for letter in dead_letters.every(bus)] == []
