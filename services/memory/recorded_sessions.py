"""Sessions that nobody plays, folded from their record when they are asked about."""

from __future__ import annotations

from mesh.record.bus import Bus
from schemas.game import StepTaken
from services.memory.beliefs.world import World

KEPT = 4
"""Sessions kept, the last asked about."""


class Recorded:
    """The worlds of recorded sessions; one is folded anew when its record has another end."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[StepTaken | None, World]] = {}

    async def world(self, bus: Bus, session: str) -> World | None:
        """What a session's record tells; None: there is no session of that id in the bus's cell."""
        if await bus.reader.started(session) is None:
            return None
        last = await bus.reader.last_step(session)
        held = self._kept.pop(session, None)
        if held is None or held[0] != last:
            held = (last, await folded(bus, session))
        self._kept[session] = held
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return held[1]


async def folded(bus: Bus, session: str, upto: int | None = None) -> World:
    """The world of a session after a step, as its record tells it."""
    world = World()
    async for step in bus.reader.steps(session, 0, upto):
        world.after(step)
    return world
