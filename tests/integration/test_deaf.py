"""Consumers and the stream are deleted under running services: nobody stays deaf, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from conftest import Mesh
from nats.js.errors import NotFoundError
from structlog.testing import capture_logs
from test_mesh import a_wish, told
from test_resume import story_of
from test_runner import Counter, Faulty, a_step, eventually, fragments, publish
from test_server_killed import messages_of

from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import checked_story
from lantern.play.watching import RecordLost
from lantern.views.text_view import SilentView
from mesh.errors import BusUnreachable
from mesh.nats.subjects import STREAM, durable_name
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken
from tests.support.processes.command import PATIENT
from tests.support.servers.own_server import OwnServer

STEPS = 60
"""The last deletion, after step 18, comes long before the end: who has left a session has no consumer."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PATIENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def nats_url(server: OwnServer) -> str:
    """The stream that is deleted here is nobody else's."""
    return server.url


class Deleter(SilentView):
    """Deletes one service's durable consumer after the other, and then all at once, while they are played."""

    kinds = tuple(Kind)

    def __init__(self, bus: Bus, scope: str) -> None:
        self.bus, self.scope = bus, scope
        self.deleted: list[asyncio.Task[list[str]]] = []
        self.due: dict[int, Iterable[str]] = {2 * n + 2: [name] for n, name in enumerate(SERVICES)}
        self.due[18] = SERVICES

    def show_message(self, envelope: Envelope) -> None:
        if envelope.kind is Kind.STEP and (names := self.due.pop(envelope.step, None)):
            self.deleted.append(asyncio.ensure_future(self._delete(names)))

    async def _delete(self, names: Iterable[str]) -> list[str]:
        for name in names:
            durable = durable_name(self.bus.cell.name, name, self.scope)
            async with asyncio.timeout(10):
                while not await self._is_deleted(durable):  # a service may be creating it anew
                    await asyncio.sleep(0.02)
        return list(names)

    async def _is_deleted(self, durable: str) -> bool:
        try:
            return await self.bus.cell.jsm.delete_consumer(STREAM, durable)
        except NotFoundError:
            return False


@pytest.mark.parametrize("scope", ["disturbed", "*"], ids=["for one session", "for a whole cell"])
async def test_a_session_goes_on_although_each_consumer_is_deleted_twice(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings, scope: str
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url, "dead_after": 60})
    mesh.settings = settings
    if scope == "*":
        await mesh.run(*(service_named(name, settings.home) for name in SERVICES))
    deleter = Deleter(bus, scope)
    for session, watcher in (("calm", SilentView()), ("disturbed", deleter)):
        wish = replace(a_wish(bus.cell.name, steps=STEPS, session=session), valid_actions=False)
        await play(wish, checked_story(wish), settings, watcher)

    calm, disturbed = [story_of(await told(bus, StepTaken, session)) for session in ("calm", "disturbed")]

    assert [await task for task in deleter.deleted] == [*([name] for name in SERVICES), list(SERVICES)]
    assert disturbed == calm
    assert await waited_for(bus, "disturbed") == await waited_for(bus, "calm")


async def waited_for(bus: Bus, session: str) -> dict[tuple[Kind, int, str], int]:
    """The messages of a session but for the fragments about its last step: `play` may leave before them."""
    counts = await messages_of(bus, session)
    return {key: n for key, n in counts.items() if key[:2] != (Kind.FRAGMENT, STEPS)}


@pytest.mark.parametrize("scope", ["*", "s1"])
async def test_what_is_published_while_a_consumer_is_gone_is_answered(
    bus: Bus, mesh: Mesh, scope: str
) -> None:
    [runner] = await mesh.run(Counter(), scope=scope)
    await publish(bus, "s1", [0])
    await fragments(bus, "s1", 0, "counter")

    for number in range(1, 21):
        if number % 4 == 0:
            await bus.cell.jsm.delete_consumer(STREAM, runner.consumer.durable)
        await bus.writer.publish("s1", a_step(number))
        if number % 4 == 3:
            await fragments(bus, "s1", number, "counter")

    said = [(await fragments(bus, "s1", number, "counter")).sections[0].text for number in range(21)]
    assert said == [f"steps {list(range(number + 1))}" for number in range(21)]


async def test_after_each_pause_a_message_is_delivered(bus: Bus, mesh: Mesh) -> None:
    """Shorter and longer ones than what lies between two signs of life (see `benchmarks/idle.py`)."""
    await mesh.run(Counter())
    await publish(bus, "s1", [])

    for number, pause in enumerate((0.1, 0.7, 0.3, 0.6, 0.05)):
        await asyncio.sleep(pause)
        await bus.writer.publish("s1", a_step(number))
        said = await fragments(bus, "s1", number, "counter")
        assert said.sections[0].text == f"steps {list(range(number + 1))}"


async def test_two_instances_whose_consumer_is_deleted_share_one_again(bus: Bus, mesh: Mesh) -> None:
    first, second = await mesh.run(Counter(), Counter())
    await publish(bus, "s1", range(3))
    await bus.cell.jsm.delete_consumer(STREAM, first.consumer.durable)
    for number in range(3, 9):
        await bus.writer.publish("s1", a_step(number))

    said = [(await fragments(bus, "s1", number, "counter")).sections[0].text for number in range(9)]
    [third] = await mesh.run(Counter())

    assert first.consumer.durable == second.consumer.durable == third.consumer.durable
    assert said == [f"steps {list(range(number + 1))}" for number in range(9)]


async def test_signs_of_life_go_on_while_nothing_happens_and_stop_with_the_server(
    bus: Bus, mesh: Mesh, server: OwnServer
) -> None:
    [runner] = await mesh.run(Counter())
    for _ in range(2):
        before = runner.consumer.last_sign
        await eventually(lambda: runner.consumer.last_sign > before)  # noqa: B023

    server.kill()
    await eventually(lambda: runner.bus.cell.events.away() > 0)
    silent = runner.consumer.last_sign
    await eventually(lambda: runner.bus.cell.events.away() > 1)
    assert runner.consumer.last_sign == silent

    server.start()
    await eventually(lambda: runner.consumer.last_sign > silent)


async def test_a_connection_closed_for_good_ends_the_service_with_its_reason(
    nats_url: str, cell: str, settings: MeshSettings
) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        async with asyncio.timeout(20), running([Counter()], nats_url, cell, settings) as [runner]:
            await runner.bus.cell.nc.close()
            await asyncio.Event().wait()

    assert caught.group_contains(BusUnreachable, match="closed for good")


class StreamDeleter(SilentView):
    """Deletes the whole stream at a step."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.deleting: list[asyncio.Task[Any]] = []

    def show_message(self, envelope: Envelope) -> None:
        if envelope.kind is Kind.STEP and envelope.step == 5:
            self.deleting.append(asyncio.ensure_future(self.bus.cell.jsm.delete_stream(STREAM)))


async def test_a_deleted_stream_is_told_and_the_next_session_is_played(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url, "dead_after": 60})
    mesh.settings = settings
    await mesh.run(*(service_named(name, settings.home) for name in SERVICES))
    lost, after = (
        replace(a_wish(bus.cell.name, steps=12, session=session), valid_actions=False)
        for session in ("lost", "after")
    )

    with capture_logs() as logs, pytest.raises(BaseExceptionGroup) as caught:
        await play(lost, checked_story(lost), settings, StreamDeleter(bus))
    summary = await play(after, checked_story(after), settings, SilentView())

    assert caught.group_contains(RecordLost, match="its stream on the NATS server")
    assert "record_lost" in {entry["event"] for entry in logs if entry["log_level"] == "error"}
    assert (summary.as_json()["steps"], summary.as_json()["degraded_steps"]) == (12, 0)
    assert await told(bus, StepTaken, "lost") == []


async def test_a_deleted_stream_takes_the_sessions_that_a_service_holds_with_it(bus: Bus, mesh: Mesh) -> None:
    [runner] = await mesh.run(Counter())
    await publish(bus, "s1", range(3))
    await fragments(bus, "s1", 2, "counter")

    await bus.cell.jsm.delete_stream(STREAM)
    await eventually(lambda: not runner.sessions._held)
    await bus.cell.provision()
    await publish(bus, "s1", range(2))

    assert (await fragments(bus, "s1", 1, "counter")).sections[0].text == "steps [0, 1]"


async def test_what_a_service_has_in_hand_when_the_stream_is_deleted_hides_nothing_of_the_next(
    bus: Bus, mesh: Mesh
) -> None:
    """The sequence numbers of the messages in hand are those of others in the stream that follows."""
    slow = Faulty(failures={}, slow=3600)
    [runner] = await mesh.run(slow)
    await publish(bus, "s1", range(3))
    await eventually(lambda: slow.seen == [("s1", 0)] and runner.delivery.counts()["lag"] == 3)

    await bus.cell.jsm.delete_stream(STREAM)
    slow.slow = 0
    await eventually(lambda: not runner.delivery.counts()["lag"])
    await bus.cell.provision()
    await publish(bus, "s2", range(3))

    await eventually(lambda: slow.done["s2"] == [0, 1, 2])
    assert slow.done["s1"] == []
