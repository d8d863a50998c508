"""Services that answer late are found, and nobody is taken for not there because of a busy machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from nats.aio.msg import Msg

from mesh.observability.liveness import STATS, stats_of, who_is_live, who_is_ready
from mesh.record.bus import Bus
from schemas.mesh import ServiceAlive, ServiceState


@asynccontextmanager
async def answering(bus: Bus, name: str, delays: Sequence[float | None]) -> AsyncIterator[list[float | None]]:
    """Within the block, a service answers after each of these seconds (None: not at all); gives the rest."""
    left = list(delays)

    async def answer(message: Msg) -> None:
        if left and (delay := left.pop(0)) is not None:
            await asyncio.sleep(delay)
            alive = ServiceAlive(
                name=name,
                version="1.0.0",
                instance=name,
                cell=bus.cell.name,
                gives_fragments=True,
                state=ServiceState.READY,
                since=bus.cell.now(),
                time=bus.cell.now(),
            )
            await message.respond(json.dumps({"endpoints": [{"data": stats_of(alive, [])}]}).encode())

    subscription = await bus.cell.nc.subscribe(STATS, cb=answer)
    await bus.cell.ready()
    try:
        yield left
    finally:
        await subscription.unsubscribe()


def names(live: Sequence[ServiceAlive]) -> set[str]:
    return {alive.name for alive in live}


async def test_one_that_answers_late_is_there(bus: Bus) -> None:
    async with answering(bus, "narrator", [0.5]):
        assert names(await who_is_live(bus.cell)) == {"narrator"}


async def test_where_the_first_is_late_the_others_may_be_later(bus: Bus) -> None:
    async with answering(bus, "narrator", [0.4]), answering(bus, "hint", [0.9]):
        assert names(await who_is_live(bus.cell)) == {"narrator", "hint"}


async def test_where_some_are_not_heard_all_are_asked_again(bus: Bus) -> None:
    async with answering(bus, "narrator", [0.0, 0.0]) as left, answering(bus, "hint", [None, 0.0]):
        live = await who_is_ready(bus.cell, {"narrator", "hint"}, 0.0)
        assert not left
        assert names(live) == {"narrator", "hint"}
        assert len(live) == 2


async def test_nobody_is_asked_twice_where_all_are_heard(bus: Bus) -> None:
    async with answering(bus, "narrator", [0.0, 0.0]) as left:
        assert names(await who_is_ready(bus.cell, {"narrator"}, 0.0)) == {"narrator"}
        assert len(left) == 1
