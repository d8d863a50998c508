"""The histories of all sessions that a memory service holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from mesh.metrics import Count
from schemas.base import SessionId
from services.memory.history.history import BeliefHistory, Opened
from services.memory.history.kuzu_graph import KuzuGraph
from services.memory.history.store_pool import StorePool
from services.memory.settings import MemorySettings, settings_found


class Histories:
    """Begins and closes histories; their files are in one directory and share one shelf."""

    def __init__(
        self,
        directory: Path,
        settings: MemorySettings | None = None,
        noted: Callable[[Count], None] = lambda _: None,
    ) -> None:
        """`noted` is called with the counter of what has happened to a file."""
        self._noted = noted
        self.settings = settings or settings_found()
        self._directory, self._shelf = directory, StorePool(self.settings)
        self._held: dict[SessionId, BeliefHistory] = {}

    def held(self, session: SessionId) -> BeliefHistory | None:
        """The history of a session that was begun, and not closed since."""
        return self._held.get(session)

    def of(self, cell: str, session: SessionId) -> BeliefHistory:
        """The history of a session; its file is opened when there is something to write."""
        if session not in self._held:
            self._held[session] = self.apart(cell, session)
        return self._held[session]

    def apart(self, cell: str, session: SessionId) -> BeliefHistory:
        """A history for the caller to close."""
        path = self._directory / cell / f"{session}.kuzu"
        return BeliefHistory(partial(self._graph, path), self.settings, self._crowd, self._noted)

    async def close(self, session: SessionId) -> None:
        """Finish a session's history, if there is one."""
        if (history := self._held.pop(session, None)) is not None:
            await history.close()

    def _crowd(self) -> float:
        """Sessions that take turns at an open file; opening one costs more than writing a batch."""
        return max(1.0, len(self._held) / self.settings.open_files)

    async def _graph(self, path: Path) -> Opened:
        graph = await KuzuGraph.open(path, self._shelf)
        return graph, graph.opening
