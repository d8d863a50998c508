"""Services that are killed at any moment: every step is there once, and as in an undisturbed session.

What was killed where is printed: `pytest tests/integration/test_crashes.py -s -k await_points`.
"""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from awaits import Point
from crashes import Cell, Cells, Supervised

from lantern.compose import SERVICES
from mesh import dead_letters
from mesh.record import raw_messages
from mesh.subjects import record_of
from schemas.base import Kind, Message

STEPS = 30
SEED, KILLS = 20, 200
Told = dict[tuple[Kind, int, str], Message]


@dataclass(frozen=True, slots=True)
class Calm:
    """An undisturbed session, and the await points at which each service was."""

    told: Told
    points: dict[str, list[Point]]


_calm: list[Calm] = []


async def undisturbed(cells: Cells) -> Calm:
    """Played once, by a process for each service."""
    if not _calm:
        cell = await cells.new()
        processes = [await cell.ready(name, watch=True) for name in SERVICES]
        await cell.start(steps=STEPS)
        await cell.ended()
        for process in processes:
            process.terminate()
            await process.ended.wait()
        _calm.append(Calm(await cell.told(), {process.name: process.points for process in processes}))
    return _calm[0]


async def assert_nothing_is_lost_or_done_twice(cell: Cell, calm: Calm) -> None:
    told = await cell.told()
    stored = [held async for held in raw_messages(cell.bus, record_of(cell.bus.cell, "s1"))]
    steps = [step for kind, step, _ in told if kind is Kind.STEP]
    assert steps == list(range(STEPS + 1))
    assert {where: body for where, body in told.items() if calm.told.get(where) != body} == {}
    assert calm.told.keys() == told.keys()
    assert len(stored) == len(told)
    assert [letter async for letter in dead_letters.every(cell.bus)] == []


async def killed_everywhere(service: str, cells: Cells, calm: Calm) -> Supervised:
    """Sessions in which a service's lives end one after the other, each at another of its await points."""
    victim = Supervised(await cells.new(), service, deque(calm.points[service]), set(calm.points[service]))
    while victim.plan:
        cell = await cells.new()
        others = await cell.ready(*(name for name in SERVICES if name != service))
        await victim.enter(cell)
        async with asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(victim.keep())
            starting = tasks.create_task(cell.start(steps=STEPS))
            if service != "game":  # which may be killed while it is asked to start the session, too
                await cell.reached(1)
            await victim.process.kill()
            await starting
            await cell.ended()
            await victim.leave(keeping)
        await others.kill()
        await assert_nothing_is_lost_or_done_twice(cell, calm)
    return victim


@pytest.mark.timeout(900)
async def test_a_service_killed_at_each_of_its_await_points_changes_nothing(cells: Cells) -> None:
    calm = await undisturbed(cells)

    victims = await asyncio.gather(*(killed_everywhere(service, cells, calm) for service in SERVICES))

    for victim in victims:
        missed = victim.missed.keys() - set(victim.fired)
        print(f"\n{victim.name}: killed at {len(victim.fired)} points, {len(missed)} were not met again")
        print(*(f"  {point}" for point in victim.fired), *(f"  not met: {p}" for p in missed), sep="\n")
        assert set(calm.points[victim.name]) - missed <= set(victim.fired)
        assert len(victim.fired) > 4 * len(missed)
    print("killed at await points:", sum(len(victim.fired) for victim in victims))


async def test_two_hundred_kills_at_random_moments_change_nothing(cells: Cells) -> None:
    calm = await undisturbed(cells)
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
            killing = tasks.create_task(killed_at_random(services, chance, kills))
            await cell.start(steps=STEPS)
            await cell.ended()
            killing.cancel()
            for service in services:
                await service.leave(keeping[service.name])
        await assert_nothing_is_lost_or_done_twice(cell, calm)
    print(f"\nseed {SEED}: {kills.total()} kills in {sessions} sessions: {dict(kills)}")


async def killed_at_random(
    services: Sequence[Supervised], chance: random.Random, kills: Counter[str]
) -> None:
    """Kill one service or several at a time, wherever they are: many of them are just being started again."""
    while True:
        await asyncio.sleep(chance.uniform(0, 0.15))
        for service in chance.sample(services, k=chance.choice((1, 1, 1, 2, 3))):
            if service.process is not None and service.process.code is None:
                service.process.send(signal.SIGKILL)
                kills[service.name] += 1
