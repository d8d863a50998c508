"""Three NATS servers: one is lost under way, and nothing of what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import a_stack
from engine import docker
from nats.js.api import ClusterInfo
from stack import PATIENCE, SERVICES, Stack

from lantern.nats.connection import identity
from mesh.nats.subjects import STREAM
from mesh.record import snapshots, stories
from mesh.record.bus import Bus

FIRST = "nats-1"
"""The server whose port is published: who plays on this machine is connected to it."""


@pytest.fixture(scope="module")
def cluster(stories: Path) -> Iterator[Stack]:
    with a_stack("lanterntest-cluster", stories) as stack:
        done = stack.up("--cluster")
        assert done.returncode == 0, done.stdout + done.stderr
        yield stack


@asynccontextmanager
async def operator(stack: Stack) -> AsyncIterator[Bus]:
    bus = await Bus.connect(stack.url("operator"), identity("operator", "1.0.0"), "main")
    try:
        yield bus
    finally:
        await bus.cell.close()


async def state(bus: Bus, stream: str = STREAM) -> ClusterInfo:
    found = (await bus.cell.jsm.stream_info(stream)).cluster
    assert found is not None
    return found


async def a_leader_to_lose(bus: Bus) -> str:
    """The stream's leader, when that is not the server that we are connected to."""
    async with asyncio.timeout(PATIENCE):
        while (leader := (await state(bus)).leader) in (None, FIRST):
            await bus.cell.nc.request(f"$JS.API.STREAM.LEADER.STEPDOWN.{STREAM}", b"", timeout=10)
            await asyncio.sleep(0.5)
    return str(leader)


async def wait_until_whole(bus: Bus, stream: str) -> None:
    """All three servers have everything."""
    async with asyncio.timeout(PATIENCE):
        while not all(peer.current for peer in (await state(bus, stream)).replicas or ()):
            await asyncio.sleep(0.2)


async def test_the_leader_is_lost_under_way_and_nothing_else(cluster: Stack) -> None:
    async with operator(cluster) as bus:
        for stream in (STREAM, stories.STREAM, snapshots.STREAM):
            assert (await bus.cell.jsm.stream_info(stream)).config.num_replicas == 3
            await wait_until_whole(bus, stream)
        with cluster.playing("bundled", "led", 60) as play:
            await asyncio.to_thread(play.wait_for_step, 8)
            leader = await a_leader_to_lose(bus)
            lost = cluster.container(leader)
            docker("kill", lost)
            await asyncio.to_thread(play.finish)
        cluster.verify("led")
        assert leader != (await state(bus)).leader

        docker("start", lost)
        cluster.wait_until_well(leader, "nats", *SERVICES)
        await wait_until_whole(bus, STREAM)
    cluster.verify("led")
