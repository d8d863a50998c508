"""The write-behind: what was believed goes to the graph in batches, out of the way of the steps."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import islice
from pathlib import Path

from schemas.base import SessionId
from services.memory.facts import Changes
from services.memory.graph import Graph, GraphError, Opening
from services.memory.store import KuzuGraph

BATCH = 100
"""Steps written in one transaction at most."""

PAUSE_SECONDS = 0.25
"""How long a step waits for others to be written with it."""

WAITING = 1_000
"""Steps that may wait to be written; then `add` waits for the graph."""


class History:
    """What was believed of one session, and when; behind by at most a batch, but never in what it tells.

    The game must not stop for a full disk: after a failure to write, `error` says what it was, `add` drops
    what it is given and `told` raises. The graph is a view and is rebuilt when the service starts again.
    """

    def __init__(self, graph: Graph, opening: Opening, held: int) -> None:
        """Use `open`. `held`: the last step that the graph holds already."""
        self.opening = opening
        self.error: GraphError | None = None
        self._graph = graph
        self._held = held
        self._newest = -1
        self._waiting: deque[Changes] = deque()
        self._some, self._many = asyncio.Event(), asyncio.Event()
        self._one_writer = asyncio.Lock()
        self._writing = asyncio.create_task(self._write_behind(), name="memory-history")

    @classmethod
    async def open(cls, directory: Path, session: SessionId) -> History:
        """Open a session's history, or begin it. Raises GraphError where no file can be used."""
        graph = await KuzuGraph.open(directory / f"{session}.kuzu")
        return cls(graph, graph.opening, await graph.last_step())

    async def add(self, changes: Changes) -> None:
        """Take the next step's changes; a step added before changes nothing."""
        if changes.step <= self._newest or self.error is not None:
            return
        if len(self._waiting) >= WAITING:
            await self.flush()
        self._newest = changes.step
        self._waiting.append(changes)
        self._some.set()
        if len(self._waiting) >= BATCH:
            self._many.set()

    async def told(self) -> Graph:
        """The graph, to read: all that was added, and nothing of another record. Raises GraphError."""
        await self.flush()
        if self.error is not None:
            raise self.error
        await self._forget_another_record()
        return self._graph

    async def flush(self) -> None:
        """Write all that was added."""
        async with self._one_writer:
            self._some.clear()
            self._many.clear()
            try:
                await self._write()
            except GraphError as error:
                self.error = error
                self._waiting.clear()

    async def close(self) -> None:
        """Write all that was added, and let go of the graph; a second time does nothing."""
        self._writing.cancel()
        with suppress(asyncio.CancelledError):
            await self._writing
        await self.flush()
        await self._graph.close()

    async def _write(self) -> None:
        while self._waiting:
            batch = tuple(islice(self._waiting, BATCH))
            await self._graph.write(batch)
            for _ in batch:
                self._waiting.popleft()

    async def _write_behind(self) -> None:
        while True:
            await self._some.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_SECONDS):
                    await self._many.wait()
            await self.flush()

    async def _forget_another_record(self) -> None:
        """Drop what an earlier, longer record of this name left in the file: what is told is only ours."""
        async with self._one_writer:
            if self._held > self._newest:
                await self._graph.forget_after(self._newest)
                self._held = self._newest
