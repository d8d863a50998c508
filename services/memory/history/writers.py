"""The history writers of all sessions in a memory service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from mesh.metrics import Count
from schemas.base import SessionId
from services.memory.history.kuzu_graph import KuzuGraph
from services.memory.history.store_pool import StorePool
from services.memory.history.writer import GraphOpened, HistoryWriter
from services.memory.settings import MemorySettings, memory_settings
from services.memory.timeline.change_log import ChangeLog


class HistoryWriters:
    """Creates and closes history writers; their files are in one directory and share one `StorePool`."""

    def __init__(
        self,
        directory: Path,
        settings: MemorySettings | None = None,
        count: Callable[[Count], None] = lambda _: None,
    ) -> None:
        """`count` is called with the counter of an event."""
        self.settings = settings or memory_settings()
        self.pool = StorePool(self.settings)
        self._directory, self._count = directory, count
        self._open_writers = 0

    def writer(self, cell: str, session: SessionId, changes: ChangeLog) -> HistoryWriter:
        """A writer of a session's changes; it opens its file when there is something to write."""
        self._open_writers += 1
        opener = partial(self._open, self._directory / cell / f"{session}.kuzu")
        return HistoryWriter(changes, opener, self.settings, self._delay_factor, self._count)

    async def close(self, writer: HistoryWriter) -> None:
        """Write the rest of a session's history and close its file."""
        self._open_writers -= 1
        await writer.close()

    def _delay_factor(self) -> float:
        """The sessions that share one open file; opening a file costs more than writing a batch."""
        return max(1.0, self._open_writers / self.settings.open_files)

    async def _open(self, path: Path) -> GraphOpened:
        graph = await KuzuGraph.open(path, self.pool)
        return graph, graph.opened
