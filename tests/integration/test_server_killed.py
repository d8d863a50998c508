"""The NATS server is killed and comes back: nothing lost, nothing doubled, nobody deaf."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from conftest import Mesh
from nats.aio.msg import Msg
from test_mesh import a_wish, told
from test_resume import story_of

from lantern.nats.connection import connection
from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import checked_story
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.observability.liveness import who_is_live
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.runner.consumer import Consumer
from mesh.runner.inbox import Inbox
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken
from tests.support.processes.command import PATIENT, Lantern
from tests.support.servers.own_server import OwnServer

R = TypeVar("R")
AGENTS = sorted(SERVICES.keys() - {"game", "actor"})
STEPS = 24
KILLS = {
    (Kind.STEP, 3): 0.0,
    (Kind.FRAGMENT, 7): 0.5,
    (Kind.PROPOSAL, 11): 0.0,
    (Kind.VERDICT, 15): 3.0,
    (Kind.STEP, 20): 0.0,
}
"""The message at which the server is killed, and for how many seconds it stays away."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PATIENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def nats_url(server: OwnServer) -> str:
    """All of this file plays on a server of its own."""
    return server.url


async def _nothing_comes(message: Msg) -> None:
    raise AssertionError(message)


class Killer(SilentView):
    """Kills the server at some messages of the session, and starts it again."""

    kinds = tuple(Kind)

    def __init__(self, server: OwnServer) -> None:
        self.server, self.due = server, dict(KILLS)
        self.restarts: list[asyncio.Task[None]] = []

    def show_message(self, envelope: Envelope) -> None:
        pause = self.due.pop((envelope.kind, envelope.step), None)
        if pause is not None:
            self.server.kill()
            self.restarts.append(asyncio.ensure_future(self._start_after(pause)))

    async def _start_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.server.start)


async def messages_of(bus: Bus, session: str) -> Counter[tuple[Kind, int, str]]:
    """How often each message of a session is in its record."""
    return Counter([(e.kind, e.step, e.service.name) async for e in bus.reader.messages(session)])


@pytest.mark.parametrize("served", [False, True], ids=["for one session", "for a whole cell"])
async def test_five_kills_of_the_server_lose_nothing_and_double_nothing(
    bus: Bus, mesh: Mesh, server: OwnServer, nats_url: str, settings: MeshSettings, served: bool
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url, "dead_after": 60})
    mesh.settings = settings
    if served:
        await mesh.run(*(service_named(name, settings.home) for name in SERVICES))
    killer, summaries = Killer(server), dict[str, Summary]()
    for session, watcher in (("calm", SilentView()), ("killed", killer)):
        wish = replace(a_wish(bus.cell.name, steps=STEPS, session=session), valid_actions=False)
        summaries[session] = await play(wish, checked_story(wish), settings, watcher)

    calm, killed = [story_of(await told(bus, StepTaken, session)) for session in ("calm", "killed")]
    counted = await messages_of(bus, "killed")

    assert server.kills == 5
    assert [step[0] for step in killed] == list(range(STEPS + 1))
    assert killed == calm
    assert counted == await messages_of(bus, "calm")
    assert set(counted.values()) == {1}
    assert summaries["killed"].as_json()["degraded_steps"] == 0
    assert await listed_letters(bus) == []


def on(server: OwnServer, work: Callable[[Bus], Awaitable[R]]) -> R:
    """Do something with the record on a server."""

    async def connected() -> R:
        async with connection(server.url, "main") as bus:
            return await work(bus)

    return asyncio.run(connected())


async def all_are_live(bus: Bus) -> None:
    async with asyncio.timeout(60):
        while len(await who_is_live(bus.cell)) < len(SERVICES):
            await asyncio.sleep(0.05)


async def listed_letters(bus: Bus) -> list[dead_letters.StoredDeadLetter]:
    return [letter async for letter in dead_letters.every(bus.cell)]


def test_services_in_processes_of_their_own_and_play_wait_for_the_server(
    lantern: Lantern, server: OwnServer
) -> None:
    lantern.env |= {**PATIENT, "NATS_URL": server.url}
    services = [lantern.start("serve", "game", "actor"), lantern.start("serve", *AGENTS)]
    on(server, all_are_live)
    calm = lantern.play("--steps", "20", "--session", "calm", "--no-valid-actions")

    playing = lantern.start("play", "--steps", "20", "--session", "killed", "--no-valid-actions")
    for step in (3, 12):
        playing.wait_for_step(step)
        server.kill()
        server.start()
    done = playing.wait()
    takeover_note = [story_of(on(server, lambda bus: told(bus, StepTaken, s))) for s in ("calm", "killed")]  # noqa: B023
    buried = on(server, listed_letters)
    for process in services:
        process.process.terminate()

    assert done.returncode == 0
    assert "20 steps" in done.stdout and "degraded" not in done.stdout
    assert set(done.stderr.splitlines()) == {"lantern: the NATS server is away; waiting 30 s for it"}
    assert calm["degraded_steps"] == 0
    assert takeover_note[0] == takeover_note[1]
    assert buried == []
    assert [process.wait().returncode for process in services] == [0, 0]


def test_play_gives_a_server_up_that_does_not_come_back(lantern: Lantern, server: OwnServer) -> None:
    lantern.env |= {"NATS_URL": server.url, "LANTERN_OUTAGE": "1"}
    playing = lantern.start("play", "--steps", "100000", "--session", "kept")
    playing.wait_for_step(3)

    server.kill()
    done = playing.wait(30)
    server.start()

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("lantern: The NATS server is gone")
    assert len(on(server, lambda bus: told(bus, StepTaken, "kept"))) > 3


@pytest.mark.parametrize("is_killed", [True, False])
async def test_work_that_belongs_to_no_message_ends_with_its_service(
    server: OwnServer, settings: MeshSettings, is_killed: bool
) -> None:
    services, hasty = [service_named("hint", settings.home)], settings.model_copy(update={"drain": 0.1})
    async with asyncio.timeout(30), running(services, server.url, "main", hasty) as [runner]:
        if is_killed:
            server.kill()
            while runner.bus.cell.events.there.is_set():
                await asyncio.sleep(0.01)
        asking = runner.delivery.work(runner.bus.reader.raw("lantern.main.s1.step.1"))
        endless = runner.delivery.work(asyncio.Event().wait())
        await asyncio.sleep(0.1)

    assert (asking.cancelled(), endless.cancelled()) == (is_killed, True)


async def test_a_reading_stops_although_a_question_about_its_consumer_waits_for_the_server(
    server: OwnServer,
) -> None:
    async with connection(server.url, "main", patience=math.inf) as bus:
        consumer = Consumer(bus.cell, [Kind.STEP], "*", MeshSettings())
        inbox = Inbox(consumer)
        await consumer.provision()
        server.pause()
        reading = asyncio.ensure_future(inbox.read(_nothing_comes))
        while not bus.cell.nc._awaited:
            await asyncio.sleep(0)

        server.kill()
        while bus.cell.events.there.is_set():
            await asyncio.sleep(0.01)
        inbox.stop()

        async with asyncio.timeout(30):
            await reading


def test_a_service_leaves_when_it_is_told_to_although_the_server_is_away(
    lantern: Lantern, server: OwnServer
) -> None:
    lantern.env["NATS_URL"] = server.url
    serving = lantern.start("serve", "all")
    on(server, all_are_live)

    server.kill()
    serving.process.terminate()

    assert serving.wait(30).returncode == 0


def test_services_that_still_wait_for_a_server_leave_when_they_are_told_to(
    lantern: Lantern, server: OwnServer
) -> None:
    lantern.env["NATS_URL"] = server.url
    serving = lantern.start("serve", "narrator", "hint")
    deadline = time.monotonic() + 60
    while "service_warming" not in serving.err.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.001)

    server.kill()
    serving.process.terminate()

    assert serving.wait(30).returncode == 0
