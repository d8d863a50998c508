"""The history of one session's beliefs: in memory for whoever asks, and behind that in a file that lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from mesh.metrics import Count
from services.memory.beliefs.facts import Changes
from services.memory.history.graph import Graph, GraphError, Opening, Outcome
from services.memory.metrics import LOST, REBUILT
from services.memory.settings import MemorySettings

BATCH = 100
"""Steps written in one transaction at most. A step is never divided."""

Opened = tuple[Graph, Opening]
log = structlog.get_logger()


class BeliefHistory:
    """What was believed, and when. What is added is known at once, and written behind, in batches.

    No game stops for a full disk, and no answer depends on one. A file that fails is let go, which is logged
    once (`history_lost`), and built anew from the first step after a pause, until that succeeds
    (`history_mended`). `error` is the failure that lasts.
    """

    def __init__(
        self,
        open_graph: Callable[[], Awaitable[Opened]],
        settings: MemorySettings,
        crowd: Callable[[], float] = lambda: 1.0,
        noted: Callable[[Count], None] = lambda _: None,
    ) -> None:
        """Use `Histories`.

        `crowd`: by how many times the pause between two batches is to be longer; `noted`: something happened
        that is counted.
        """
        self.changes: list[Changes] = []
        """All that was added, in order."""
        self.opening: Opening | None = None
        self.error: GraphError | None = None
        self._open_graph, self._settings, self._crowd = open_graph, settings, crowd
        self._noted = noted
        self._graph: Graph | None = None
        self._held = -1
        self._written = 0
        self._one_writer = asyncio.Lock()
        self._some, self._many, self._closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._keeping = asyncio.create_task(self._keep(), name="memory-history")

    @property
    def unwritten(self) -> int:
        """Steps that are not in the file yet."""
        return len(self.changes) - self._written

    def add(self, changes: Changes) -> None:
        """Take the next step's changes; a step added before, or an older one, changes nothing."""
        if self.changes and changes.step <= self.changes[-1].step:
            return
        self.changes.append(changes)
        self._some.set()
        if self.unwritten >= BATCH:
            self._many.set()

    async def flush(self) -> None:
        """Write all that was added; `error` says whether that failed."""
        async with self._one_writer:
            self._some.clear()
            self._many.clear()
            try:
                await self._write()
            except GraphError as error:
                await self._lose(error)

    async def close(self) -> None:
        """Write all that was added, a last try after a failure; let go of the file. Again: nothing."""
        if self._closed.is_set():
            return
        for event in (self._closed, self._some, self._many):
            event.set()
        await self._keeping
        if self.unwritten:
            await self.flush()
        await self._let_go()

    async def _keep(self) -> None:
        while not self._closed.is_set():
            await self._some.wait()
            if self.error is None:
                await _or_after(self._many, self._settings.pause * self._crowd())
            else:
                await _or_after(self._closed, self._settings.mend_after)
            await self.flush()

    async def _write(self) -> None:
        if not self.changes:
            return
        graph = self._graph or await self._begin()
        while batch := self.changes[self._written : self._written + BATCH]:
            await graph.write(batch)
            self._written += len(batch)
        last = self.changes[-1].step
        if self._held > last:  # an earlier, longer record of this name
            await graph.forget_after(last)
        self._held = -1
        if self.error is not None:
            self.error = None
            log.warning("history_mended", path=str(self.opening and self.opening.path))

    async def _begin(self) -> Graph:
        self._graph, self.opening = await self._open_graph()
        self._held, self._written = await self._graph.last_step(), 0
        told = {"path": str(self.opening.path), "reason": self.opening.reason}
        if self.opening.outcome is Outcome.REBUILT:
            self._noted(REBUILT)
            log.warning("graph_rebuilt", **told)
        elif self.opening.reason:
            log.warning("graph_beside", **told)
        return self._graph

    async def _lose(self, error: GraphError) -> None:
        if self.error is None:
            self._noted(LOST)
            log.error("history_lost", error=str(error))
        self.error = error
        await self._let_go()
        self._some.set()

    async def _let_go(self) -> None:
        graph, self._graph, self._written = self._graph, None, 0
        if graph is not None:
            with suppress(GraphError):
                await graph.close()


async def _or_after(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
