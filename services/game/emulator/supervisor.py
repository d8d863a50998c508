"""Keeps one session's child alive: a child that dies or hangs is replaced and brought to the same moment."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from services.game.emulator.child import Child, ChildDied, ChildHung
from services.game.emulator.history import MoveHistory
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import FIRST_PROMPT, Answer, Loaded, Played, ReplayMoves, Request
from services.game.errors import EmulatorClosed, StoryUnplayable
from zmachine.story_file import StoryFile

FRESH_CHILDREN = 3
"""Children in a row that may fail while the history is replayed, before the story is given up."""


@dataclass(frozen=True, slots=True)
class ChildTimeouts:
    """Seconds after which a child counts as hung."""

    action: float
    start: float
    """Also for a batch of replayed moves."""

    def of(self, request: Request) -> float:
        return self.start if isinstance(request, ReplayMoves) else self.action


class ChildSupervisor:
    """Asks the child, and replaces it when it fails."""

    def __init__(
        self,
        story: StoryFile,
        seed: int,
        history: MoveHistory,
        timeouts: ChildTimeouts,
        pool: ChildPool | None,
        on_failure: Callable[[], object],
    ) -> None:
        """`history`: read when a child is replaced. `on_failure`: called for each child that failed."""
        self.story = story
        self.loaded = Loaded(known=False, max_score=None)
        self._seed = seed
        self._history = history
        self._timeouts = timeouts
        self._pool = pool
        self._on_failure = on_failure
        self._child: Child | None = None
        self._closed = False

    async def start(self) -> None:
        """Load the story in a first child. Raises StoryUnplayable."""
        try:
            await self._load_story()
        except ChildHung as failure:
            limit = min(FIRST_PROMPT, self._timeouts.start)
            why = f"the story does not come to its first prompt within {limit:g} s"
            raise StoryUnplayable(self.story.md5, why) from failure
        except ChildDied as failure:
            raise StoryUnplayable(self.story.md5, str(failure)) from failure

    async def ask(self, request: Request, timeout: float | None = None) -> Answer | None:
        """The child's answer.

        None: the child hung, or died twice at this request. Another child is then where it was before.
        """
        for _ in range(2):
            if self._closed or self._child is None:
                raise EmulatorClosed
            try:
                return await self._child.ask(request, timeout or self._timeouts.of(request))
            except ChildHung:
                await self._recover()
                return None
            except ChildDied:
                await self._recover()
        return None

    async def require(self, request: Request) -> Answer:
        """The child's answer; raises StoryUnplayable where there is none."""
        answer = await self.ask(request)
        if answer is None:
            raise self.unplayable()
        return answer

    def unplayable(self) -> StoryUnplayable:
        return StoryUnplayable(self.story.md5, "the emulator keeps ending or hanging")

    async def close(self) -> None:
        """End the child. May be called twice."""
        self._closed = True
        if self._child is not None:
            child, self._child = self._child, None
            await child.end()

    async def _recover(self) -> None:
        """Replace the child, and replay the history in the new one."""
        self._on_failure()
        why = ""
        for _ in range(FRESH_CHILDREN):
            if self._closed:
                raise EmulatorClosed
            try:
                await self._replay_history(await self._load_story())
            except (ChildDied, ChildHung) as failure:
                why = str(failure)
            else:
                return
        raise StoryUnplayable(self.story.md5, why)

    async def _replay_history(self, child: Child) -> None:
        answer = await child.ask(self._history.base, self._timeouts.action)
        assert isinstance(answer, Played)
        for batch in self._history.batches():
            await child.ask(batch, self._timeouts.start)

    async def _load_story(self) -> Child:
        """Load the story in a spare child, or in a new one if there is no spare or the spare is dead."""
        if self._child is not None:
            await self._child.end()
        spare = self._pool.take() if self._pool else None
        try:
            child = await self._load_in(spare or Child())
        except ChildDied:
            if spare is None:
                raise
            child = await self._load_in(Child())
        if self._pool is not None:
            self._pool.fill()
        return child

    async def _load_in(self, child: Child) -> Child:
        async with AsyncExitStack() as on_error:
            on_error.push_async_callback(child.end)
            loaded = await child.load(self.story, self._seed, self._timeouts.start)
            if self._closed:  # while the child was starting
                raise EmulatorClosed
            on_error.pop_all()
        self._child, self.loaded = child, loaded
        return child
