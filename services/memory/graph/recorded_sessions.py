"""Sessions that nobody plays now: a question about one folds its record."""

from __future__ import annotations

from mesh.record.bus import Bus
from schemas.game import StepTaken
from services.memory.timeline.world_model import WorldModel

MAX_CACHED = 4
"""Sessions in the cache: those that were asked about last."""


class RecordedWorlds:
    """A cache of world models of recorded sessions. A model is folded anew when its record has grown."""

    def __init__(self) -> None:
        self._cache: dict[str, tuple[StepTaken | None, WorldModel]] = {}

    async def world(self, bus: Bus, session: str) -> WorldModel | None:
        """The model of a session; None: the bus's cell has no session of that id."""
        if await bus.reader.started(session) is None:
            return None
        last = await bus.reader.last_step(session)
        cached = self._cache.pop(session, None)
        if cached is None or cached[0] != last:
            cached = (last, await world_from_record(bus, session))
        self._cache[session] = cached
        if len(self._cache) > MAX_CACHED:
            del self._cache[next(iter(self._cache))]
        return cached[1]


async def world_from_record(bus: Bus, session: str, upto: int | None = None) -> WorldModel:
    """The world model of a session after a step, folded from its record."""
    world = WorldModel()
    async for step in bus.reader.steps(session, 0, upto):
        world.after(step)
    return world
