"""Searches for valid actions in a second emulator, which follows the session's own."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from msgspec.structs import asdict

from mesh.errors import FailureError
from schemas.game import ValidActions
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import SearchActions, SnapshotRefused
from zmachine.story_file import StoryFile

WORLDS = 256
"""Worlds remembered at most; the one visited longest ago is forgotten first."""
EARLY_VERSIONS, EARLY = 3, 4.0
"""Stories of versions 1 to 3 are stepped many times faster than later ones: so many times the candidates."""
LARGE_SIZES = ((256 * 1024, 0.25), (192 * 1024, 0.4))
"""Bytes from which on a story is slower (Inform 7's library), and the share of the candidates there."""
HANGS_AFTER = 5.0
"""Seconds without an answer, beside the search's own limit, after which its emulator is killed."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What one visit of a world may cost."""

    candidates: int
    """In a later story of up to 192 KiB; `candidates_in` tells how many in another."""
    seconds: float
    """Of processor time. A safety net: another machine may find more than a search that it cuts short."""


def candidates_in(story: StoryFile, candidates: int) -> int:
    """How many candidates are tried in a story, so that they take about the same time in all."""
    if story.version <= EARLY_VERSIONS:
        return round(candidates * EARLY)
    share = next((share for size, share in LARGE_SIZES if len(story.data) >= size), 1.0)
    return max(1, round(candidates * share))


class ValidActionSearcher:
    """Searches for valid actions, and remembers them by world.

    Its failure costs a step its valid actions, never the step itself.
    """

    def __init__(
        self,
        emulator: Emulator,
        limits: SearchLimits,
        searched: Callable[[float], object] = lambda seconds: None,
    ) -> None:
        """`searched` is called with the seconds that each step waited for a search."""
        self._emulator = emulator
        self._searched = searched
        self._candidates = candidates_in(emulator.story, limits.candidates)
        self._seconds = limits.seconds
        self.found: OrderedDict[str, ValidActions] = OrderedDict()
        """The valid actions found in each world so far."""
        self._failed_worlds: set[str] = set()
        """Worlds in which a search failed; they are not searched again."""
        self._world = ""
        self._last: asyncio.Task[None] | None = None
        self._out_of_sync = self._closing = False

    @property
    def out_of_sync(self) -> bool:
        """Whether its emulator is elsewhere than the session's; a snapshot of the session mends that."""
        return self._out_of_sync

    def open(self) -> None:
        """Begin at the story's opening, after the work in progress."""
        self._then(self._opened)

    def follow(self, action: str) -> None:
        """Play an action of the session, after the work in progress."""

        async def played() -> None:
            self._world = (await self._emulator.play(action)).world

        self._then(played)

    def lose(self) -> None:
        """The session's emulator has gone elsewhere; a snapshot of it is needed."""
        self._out_of_sync = True

    def restore(self, snapshot: str) -> None:
        """Restore a snapshot of the session's emulator, after the work in progress."""

        async def restored() -> None:
            self._world, self._out_of_sync = (await self._emulator.restore(snapshot)).world, False

        self._then(restored)

    def recall(self, world: str, found: ValidActions) -> None:
        """Continue from valid actions found before, which the record or a snapshot holds."""
        self.found[world] = found
        self.found.move_to_end(world)
        if len(self.found) > WORLDS:
            self.found.popitem(last=False)

    async def valid(self, world: str) -> ValidActions:
        """The valid actions of the session's world that are found within the limits."""
        self.recall(world, self.found.get(world, ValidActions()))
        if not self.found[world].complete and world not in self._failed_worlds:
            began = time.monotonic()
            await asyncio.wait({self._then(lambda: self._search(world))})
            self._searched(time.monotonic() - began)
        return self.found[world]

    async def close(self) -> None:
        """End the emulator and the work in progress."""
        self._closing = True
        await self._emulator.close()
        if self._last is not None:
            await asyncio.wait({self._last})

    async def _opened(self) -> None:
        self._world = (await self._emulator.opening()).world

    async def _search(self, world: str) -> None:
        before = self.found.get(world, ValidActions())
        self.recall(world, before.model_copy(update={"cut": True}))
        if self._world != world:
            self._out_of_sync = True
            log.warning("searcher_out_of_sync", world=world, is_in=self._world)
            return
        request = SearchActions(before.actions, before.tried, self._candidates, self._seconds)
        found = await self._emulator.search(request, self._seconds + HANGS_AFTER)
        if found is None:
            self._failed_worlds.add(world)
            log.warning("search_failed", world=world)
        else:
            self.recall(world, ValidActions(**asdict(found)))

    def _then(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Do this work after all work requested before."""
        self._last = asyncio.create_task(self._after(self._last, work))
        return self._last

    async def _after(self, before: asyncio.Task[None] | None, work: Callable[[], Awaitable[None]]) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            await work()
        except (FailureError, SnapshotRefused) as error:
            self._out_of_sync = True
            if not self._closing:
                log.warning("searcher_failed", error=str(error))
