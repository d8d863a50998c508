"""Writes the history of one session's beliefs into a graph, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from mesh.metrics import Count
from services.memory.history.graph import FileStatus, Graph, GraphError, OpenedFile
from services.memory.metrics import HISTORY_FAILED, HISTORY_REBUILT
from services.memory.settings import MemorySettings
from services.memory.timeline.change_log import ChangeLog

BATCH = 100
"""Steps in one transaction, at most. A step is never divided."""

GraphOpened = tuple[Graph, OpenedFile]
log = structlog.get_logger()


class HistoryWriter:
    """Writes a session's changes in batches. No game waits for it, and no answer depends on it.

    If the graph fails, the writer closes it and logs `history_write_failed` once. After a pause it opens the
    graph again and writes everything from the first step, until that succeeds (`history_write_recovered`).
    `error` is the failure that lasts.
    """

    def __init__(
        self,
        changes: ChangeLog,
        open_graph: Callable[[], Awaitable[GraphOpened]],
        settings: MemorySettings,
        delay_factor: Callable[[], float] = lambda: 1.0,
        count: Callable[[Count], None] = lambda _: None,
    ) -> None:
        """Call `HistoryWriters.writer`.

        `delay_factor`: what the delay between two batches is multiplied by; `count`: counts an event.
        """
        self.changes = changes
        self.opened: OpenedFile | None = None
        self.error: GraphError | None = None
        self._open_graph, self._settings = open_graph, settings
        self._delay_factor, self._count = delay_factor, count
        self._graph: Graph | None = None
        self._last_in_file = -1
        self._written = 0
        self._lock = asyncio.Lock()
        self._has_work, self._has_batch, self._closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="memory-history")

    @property
    def unwritten(self) -> int:
        """Steps that are not in the file yet."""
        return len(self.changes) - self._written

    def notify(self) -> None:
        """Tell the writer that the change log has grown."""
        if self.unwritten:
            self._has_work.set()
        if self.unwritten >= BATCH:
            self._has_batch.set()

    async def flush(self) -> None:
        """Write all changes now; `error` says whether that failed."""
        async with self._lock:
            self._has_work.clear()
            self._has_batch.clear()
            try:
                await self._write()
            except GraphError as error:
                await self._fail(error)

    async def close(self) -> None:
        """Write all changes, with one last attempt after a failure, and close the file. Again: nothing."""
        if self._closed.is_set():
            return
        for event in (self._closed, self._has_work, self._has_batch):
            event.set()
        await self._task
        if self.unwritten:
            await self.flush()
        await self._close_graph()

    async def _run(self) -> None:
        while not self._closed.is_set():
            await self._has_work.wait()
            if self.error is None:
                await _wait(self._has_batch, self._settings.batch_delay * self._delay_factor())
            else:
                await _wait(self._closed, self._settings.retry_after)
            await self.flush()

    async def _write(self) -> None:
        if not self.changes:
            return
        graph = self._graph or await self._open()
        while batch := self.changes[self._written : self._written + BATCH]:
            await graph.write(batch)
            self._written += len(batch)
        if self._last_in_file > self.changes.last_step:  # an earlier, longer record of this name
            await graph.forget_after(self.changes.last_step)
        self._last_in_file = -1
        if self.error is not None:
            self.error = None
            log.warning("history_write_recovered", path=str(self.opened and self.opened.path))

    async def _open(self) -> Graph:
        self._graph, self.opened = await self._open_graph()
        self._last_in_file, self._written = await self._graph.last_step(), 0
        if self.opened.status is FileStatus.REBUILT:
            self._count(HISTORY_REBUILT)
            log.warning("history_file_rebuilt", path=str(self.opened.path), reason=self.opened.reason)
        elif self.opened.reason:
            log.warning("history_file_in_use", path=str(self.opened.path), reason=self.opened.reason)
        return self._graph

    async def _fail(self, error: GraphError) -> None:
        if self.error is None:
            self._count(HISTORY_FAILED)
            log.error("history_write_failed", error=str(error))
        self.error = error
        await self._close_graph()
        self._has_work.set()

    async def _close_graph(self) -> None:
        graph, self._graph, self._written = self._graph, None, 0
        if graph is not None:
            with suppress(GraphError):
                await graph.close()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
