"""Spare children, started in advance: they have imported everything and wait for a story."""

from __future__ import annotations

import asyncio

from services.game.emulator.child import Child


class ChildPool:
    """A number of spare children. Use it from the main thread's event loop."""

    def __init__(self, spares: int) -> None:
        self._wanted = spares
        self._spares: list[Child] = []
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    def fill(self) -> None:
        """Start as many as are missing; returns at once."""
        while not self._closed and len(self._spares) < self._wanted:
            self._spares.append(Child())

    def take(self) -> Child | None:
        """A living spare; None: there is none. Call `fill` once the spare has loaded its story."""
        while self._spares:
            child = self._spares.pop(0)
            if child.alive:
                return child
            self._end(child)
        return None

    async def close(self) -> None:
        """End all spares, and start no more."""
        self._closed = True
        for child in self._spares:
            self._end(child)
        self._spares.clear()
        if self._ending:
            await asyncio.wait(self._ending)

    def _end(self, child: Child) -> None:
        task = asyncio.create_task(child.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
