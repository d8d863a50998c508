"""Services that are killed at any moment: every step is there once, and as in an undisturbed session.

What was killed where is printed: `pytest tests/integration/test_crashes.py -s -k await_points`.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from test_runner import fragments, letters, publish

from lantern.nats.connection import connection
from lantern.nats.embedded_nats import nats_server_binary
from lantern.play.services import SERVICES
from mesh.nats.subjects import subject_of
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.memory import AskMemory, MemoryAnswer
from tests.support.exhaustive import all_but
from tests.support.processes.awaits import shows
from tests.support.processes.crashes import (
    DEADLY,
    Calm,
    Cell,
    Cells,
    Supervised,
    assert_nothing_is_lost_or_done_twice,
    said,
    undisturbed,
)
from tests.support.processes.forked import Zygote
from tests.support.servers.consumers import every_consumer

STEPS = 20
SEED, KILLS = 20, 200
IN_EACH_RUN = ("critic",)
"""A service that decides, and takes a third of the actor's time here: the others are for `make test-all`."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("service", all_but(IN_EACH_RUN, SERVICES))
async def test_a_service_killed_at_each_of_its_await_points_changes_nothing(
    service: str, cells: Cells
) -> None:
    calm = await undisturbed(cells, STEPS)
    victim = Supervised(await cells.new(), service, dies=True)
    points = set(filter(shows, calm.points[service]))
    sessions = in_vain = 0
    while in_vain < (1 if points <= set(victim.deaths) else 3):
        before = len(victim.deaths)
        sessions += 1
        await killed_again_and_again(victim, cells, calm)
        in_vain = in_vain + 1 if len(victim.deaths) == before else 0

    missed = points - set(victim.deaths)
    print(f"\n{service}: killed at {len(victim.deaths)} points in {sessions} sessions, {len(missed)} not met")
    print(*(f"  {point}" for point in victim.deaths), *(f"  not met: {p}" for p in missed), sep="\n")
    assert len(missed) <= len(points) / 10, "more than a few of a moment's chance"


async def killed_again_and_again(victim: Supervised, cells: Cells, calm: Calm) -> None:
    """A session in which a service's lives end one after the other, each at another await point."""
    cell = await cells.new()
    others = await cell.ready(*(name for name in SERVICES if name != victim.name))
    # killed at a point of its own, not at a time: a whole session may pass while a busy machine waits
    is_game = victim.name == "game"  # which may be killed while it is asked to start the session, too
    first_life = await victim.enter(cell, at=None if is_game else calm.publishing(victim.name), nth=2)
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(victim.keep())
        starting = tasks.create_task(cell.start(steps=STEPS))
        if is_game:
            await first_life.kill()
        await starting
        await said(cell, calm)
        await victim.leave(keeping)
    await others.kill()
    await assert_nothing_is_lost_or_done_twice(cell, calm)


async def test_a_memory_that_was_killed_answers_as_ever(cells: Cells) -> None:
    cell = await cells.new()
    memory = Supervised(cell, "memory")
    await memory.enter(cell)
    await cell.ready(*(name for name in SERVICES if name != "memory"))
    answers = []
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(memory.keep())
        await cell.start(steps=STEPS)
        for step in range(0, STEPS, 5):
            await cell.reached(step)
            assert memory.process is not None
            await memory.process.kill()
        await cell.ended()
        await memory.leave(keeping)
    for home in (cell.home, cell.home / "anew"):
        cell.home = home
        home.mkdir(exist_ok=True)
        process = await cell.ready("memory")
        asked = AskMemory(session="s1", question="Where am I?")
        answers.append(
            await cell.bus.requests.ask("memory", "search", asked, MemoryAnswer, session="s1", timeout=60)
        )
        await process.kill()

    assert answers[0] == answers[1]
    assert answers[0].steps


async def test_the_emulators_of_a_game_that_is_killed_end_with_it(cells: Cells) -> None:
    cell = await cells.new()
    cell.env["LANTERN_GAME_SPARES"] = "2"
    game = await cell.ready("game")
    await cell.ready(*(name for name in SERVICES if name != "game"))
    await cell.start(steps=100_000, valid_actions=True)
    await cell.reached(3)
    emulators = psutil.Process(game.pid).children(recursive=True)

    await game.kill()

    assert len(emulators) == 4, "its session's, the scout's and two spare ones"
    _, left = await asyncio.to_thread(psutil.wait_procs, emulators, timeout=10)
    assert left == []


@pytest.mark.exhaustive
async def test_two_hundred_kills_at_random_moments_change_nothing(cells: Cells) -> None:
    calm = await undisturbed(cells, STEPS)
    chance = random.Random(SEED)
    kills: Counter[str] = Counter()
    sessions = 0
    while kills.total() < KILLS:
        sessions += 1
        cell = await cells.new()
        services = [Supervised(cell, name) for name in SERVICES]
        for service in services:
            await service.enter(cell)
        async with asyncio.TaskGroup() as tasks:
            keeping = {service.name: tasks.create_task(service.keep()) for service in services}
            await cell.start(steps=STEPS)
            await cell.reached(1)
            killing = tasks.create_task(killed_at_random(services, chance, kills))
            await cell.ended()
            killing.cancel()
            await said(cell, calm)
            for service in services:
                await service.leave(keeping[service.name])
        await assert_nothing_is_lost_or_done_twice(cell, calm)
    print(f"\nseed {SEED}: {kills.total()} kills in {sessions} sessions: {dict(kills)}")


async def killed_at_random(
    services: Sequence[Supervised], chance: random.Random, kills: Counter[str]
) -> None:
    """Kill one service or several at a time, wherever they are: many of them are just being started again."""
    while kills.total() < KILLS:
        await asyncio.sleep(chance.uniform(0, 0.4))
        for service in chance.sample(services, k=chance.choice((1, 1, 1, 2, 3))):
            if service.process is not None and service.process.code is None:
                service.process.send(signal.SIGKILL)
                kills[service.name] += 1


async def test_a_message_that_ends_its_service_each_time_is_a_dead_letter_and_the_next_ones_flow(
    cells: Cells,
) -> None:
    cell = await cells.new()
    cell.settings["retry_delays"] = (0.02, 0.05)
    service = Supervised(cell, DEADLY)
    await service.enter(cell)
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(service.keep())

        await publish(cell.bus, "s1", range(6))
        said = [(await fragments(cell.bus, "s1", step, "deadly")).sections for step in (0, 2, 3, 4, 5)]
        await service.leave(keeping)

    [letter] = await letters(cell.bus)
    assert letter.subject == subject_of(cell.bus.cell.address("s1", Kind.STEP, 1))
    assert letter.letter.tries >= 3  # or more: a life that began with a later step counts, too
    assert letter.letter.error == "it ended this service each time"
    assert said[-1][0].text == "steps [0, 2, 3, 4, 5]"
    assert service.lives >= 3


@pytest.mark.exhaustive
async def test_fifty_restarts_leave_consumers_and_subscriptions_as_they_were(
    zygote: Zygote, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        url, monitor = stack.enter_context(a_server(tmp_path))
        await stack.enter_async_context(zygote.heard())
        bus = await stack.enter_async_context(connection(url, "c1"))
        cell = Cell(zygote, bus, url, tmp_path)
        process = await cell.ready(*SERVICES)
        before = await counted(bus, monitor)
        for number in range(50):
            process.send(signal.SIGTERM if number % 2 else signal.SIGKILL)
            await process.ended.wait()
            process = await cell.ready(*SERVICES)

        async with asyncio.timeout(20):
            while (after := await counted(bus, monitor)) != before:
                await asyncio.sleep(0.1)
        assert after == before


@contextmanager
def a_server(directory: Path) -> Iterator[tuple[str, str]]:
    """A server that tells what it holds: its address, and that of its monitor."""
    store = ("-js", "-sd", str(directory), "-l", str(directory / "server.log"))
    where = ("-a", "127.0.0.1", "-p", "-1", "-m", "-1", "--ports_file_dir", str(directory))
    process = subprocess.Popen([nats_server_binary(), *store, *where])
    try:
        deadline = time.monotonic() + 20
        while not (found := [f for f in directory.glob("*.ports") if f.read_text().endswith("}")]):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        ports = json.loads(found[0].read_text())
        yield ports["nats"][0], ports["monitoring"][0]
    finally:
        process.kill()
        process.wait()


async def counted(bus: Bus, monitor: str) -> dict[str, int]:
    """The consumers, connections and subscriptions that a server holds."""
    with await asyncio.to_thread(urllib.request.urlopen, f"{monitor}/varz", timeout=10) as answer:
        told = json.load(answer)
    consumers = await every_consumer(bus)
    return {
        "consumers": len(consumers),
        "subscriptions": told["subscriptions"],
        "connections": told["connections"],
    }
