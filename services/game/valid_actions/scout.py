"""A second emulator that plays along with a session's own, and tries actions out there."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from mesh.errors import FailureError
from schemas.game import ValidActions
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import SearchActions, SnapshotRefused

WORLDS = 256
"""Remembered, the latest visited."""
LARGE = 192 * 1024
"""Bytes from which on a story is large: its steps take several times as long (Inform 7's library)."""
SHARE = 0.9
"""Of the time that a step may wait, what the search may take: the rest is for asking and answering."""
GRACE = 1.0
"""Seconds that a search may take beyond its own limit before its emulator is killed."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one visit of a world may cost."""

    candidates: int
    """In a large story, half as many."""
    seconds: float


class Scout:
    """Looks for valid actions, and remembers them by world.

    Whatever befalls it costs valid actions, never a step.
    """

    def __init__(
        self, emulator: Emulator, limits: Limits, searched: Callable[[float], object] = lambda seconds: None
    ) -> None:
        """`searched` is told the seconds that each step waited for a search."""
        self._emulator = emulator
        self._searched = searched
        large = len(emulator.story.data) >= LARGE
        self._candidates = limits.candidates // 2 if large else limits.candidates
        self._seconds = limits.seconds
        self.found: OrderedDict[str, ValidActions] = OrderedDict()
        """What was found in each world so far."""
        self._barred: set[str] = set()
        """Worlds in which a search failed: it is not made again."""
        self._world = ""
        self._last: asyncio.Task[None] | None = None
        self._lost = False

    @property
    def astray(self) -> bool:
        """Whether it stands elsewhere than the session, so that a snapshot of the session would help it."""
        return self._lost

    def open(self) -> None:
        """Begin at the story's opening, behind what is under way."""
        self._then(self._opened)

    def follow(self, action: str) -> None:
        """Play an action that the session plays, behind what is under way."""

        async def played() -> None:
            self._world = (await self._emulator.play(action)).world

        self._then(played)

    def stand_at(self, snapshot: str) -> None:
        """Stand where the session's emulator stood at a snapshot, behind what is under way."""

        async def restored() -> None:
            self._world, self._lost = (await self._emulator.restore(snapshot)).world, False

        self._then(restored)

    def recall(self, world: str, found: ValidActions) -> None:
        """Go on from what was found in a world before, as the record or a snapshot tells it."""
        self.found[world] = found
        self.found.move_to_end(world)
        if len(self.found) > WORLDS:
            self.found.popitem(last=False)

    async def valid(self, world: str) -> ValidActions:
        """The valid actions of the session's world, as far as they are found within the limits."""
        self.recall(world, self.found.get(world, ValidActions()))
        if not self.found[world].complete and world not in self._barred:
            began = time.monotonic()
            searching = self._then(lambda: self._search(world))
            await asyncio.wait({searching}, timeout=self._seconds)
            self._searched(time.monotonic() - began)
        return self.found[world]

    async def close(self) -> None:
        """End the emulator, and with it what is under way."""
        await self._emulator.close()
        if self._last is not None:
            await asyncio.wait({self._last})

    async def _opened(self) -> None:
        self._world = (await self._emulator.opening()).world

    async def _search(self, world: str) -> None:
        if self._world != world:
            self._lost = True
            log.warning("scout_astray", world=world, stands_in=self._world)
            return
        before = self.found.get(world, ValidActions())
        wish = SearchActions(before.actions, before.tried, self._candidates, SHARE * self._seconds)
        found = await self._emulator.find(wish, self._seconds + GRACE)
        if found is None:
            self._barred.add(world)
            log.warning("search_failed", world=world)
        else:
            self.recall(
                world, ValidActions(actions=found.actions, complete=found.complete, tried=found.tried)
            )

    def _then(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Do something after all that was asked before."""
        self._last = asyncio.create_task(self._after(self._last, work))
        return self._last

    async def _after(self, before: asyncio.Task[None] | None, work: Callable[[], Awaitable[None]]) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            await work()
        except (FailureError, SnapshotRefused) as error:
            self._lost = True
            log.warning("scout_failed", error=str(error))
