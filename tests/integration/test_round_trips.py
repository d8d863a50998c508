"""A wait for the server ends with the connection, and can be broken off at any moment."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest
from nats.aio.msg import Msg
from nats.errors import ConnectionReconnectingError
from structlog.testing import capture_logs

from lantern.nats.connection import connection
from mesh.errors import BusAway
from mesh.observability.liveness import gather
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from mesh.runner.runner import Runner
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from services.narrator.service import NarratorService
from tests.support.servers.own_server import OwnServer

PROPOSAL = ActionProposed(step=0, action="look", policy="heuristic", reason="a test")


async def asked(bus: Bus, waiting: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Begin to wait; the server has been asked, and has not answered, when this returns."""
    task = asyncio.create_task(waiting)
    while not bus.cell.nc._pongs:
        await asyncio.sleep(0)
    return task


async def test_after_a_flush_that_was_broken_off_the_connection_still_reads(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        server.pause()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await bus.cell.ready()
        server.go_on()

        await bus.cell.ready()

        assert await bus.writer.publish("s1", PROPOSAL, cause=None) is PublishOutcome.STORED


async def test_a_flush_that_is_cancelled_as_its_answer_comes_is_cancelled(bus: Bus) -> None:
    flushing = await asked(bus, bus.cell.nc.flush())
    bus.cell.nc._pongs[0].set_result(True)
    flushing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await flushing


@pytest.mark.parametrize("turns", range(6))
async def test_a_question_to_all_that_is_cancelled_as_an_answer_comes_is_cancelled(
    bus: Bus, turns: int
) -> None:
    """`turns`: of the event loop, from the answer to the cancellation."""

    async def answer(message: Msg) -> None:
        await message.respond(b"here")

    await bus.cell.nc.subscribe("a.question", cb=answer)
    asking = asyncio.create_task(gather(bus.cell, "a.question"))
    while not (inbox := [sub for sub in bus.cell.nc._subs.values() if sub.subject.startswith("_INBOX")][1:]):
        await asyncio.sleep(0)
    while not inbox[0].delivered:
        await asyncio.sleep(0)
    for _ in range(turns):
        await asyncio.sleep(0)
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_flush_ends_with_its_connection(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        server.pause()
        flushing = await asked(bus, bus.cell.nc.flush())

        server.kill()

        with pytest.raises(ConnectionReconnectingError):
            await flushing


async def test_a_wait_for_subscriptions_goes_on_when_the_server_is_back(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        server.pause()
        waiting = await asked(bus, bus.cell.ready())
        server.kill()
        while bus.cell.events.there.is_set():
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.start)

        await waiting

        assert bus.cell.is_connected


async def test_a_service_that_announces_itself_goes_on_when_the_server_is_back(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        runner = Runner(NarratorService(), bus, MeshSettings())
        server.pause()
        announcing = await asked(bus, runner.presence.appear({}))
        server.kill()

        await announcing
        await asyncio.to_thread(server.start)
        await bus.cell.ready()

        told = [json.loads(each) for each in await gather(bus.cell, "$SRV.PING")]
        assert [each["name"] for each in told] == ["narrator"]


async def test_a_flush_without_an_answer_is_an_error_that_a_user_can_read(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        server.pause()

        with pytest.raises(BusAway, match="does not answer in time"):
            await bus.cell.nc.flush(timeout=0)

        server.go_on()


async def test_a_request_without_an_answer_is_an_error_that_a_user_can_read(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        server.pause()

        with pytest.raises(BusAway, match="does not answer in time"):
            await bus.cell.nc.request(f"{bus.cell.api}.INFO", timeout=0.05)

        server.go_on()


async def test_who_closes_a_connection_as_it_is_lost_does_not_wait_for_the_server(server: OwnServer) -> None:
    with capture_logs() as logs:
        async with connection(server.url, "main") as bus:
            server.pause()
            closing = await asked(bus, bus.cell.close())

            server.kill()
            await closing

            assert bus.cell.nc.is_closed
    said = [log["error"] for log in logs if log["event"] == "closed_without_server"]
    assert said == [str(ConnectionReconnectingError())]
