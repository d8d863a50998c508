"""The sessions that somebody watches, each read once however many watch it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lantern.web.feed.session_feed import SessionFeed
from mesh.nats.subjects import checked_session
from mesh.record.bus import Bus

KEPT = 60.0
"""Seconds for which a session is kept ready after its last viewer has left."""


class Feeds:
    """Finds sessions by their ids, and keeps those that are watched."""

    def __init__(self, bus: Bus, tasks: asyncio.TaskGroup) -> None:
        self.bus, self._tasks = bus, tasks
        self._feeds: dict[str, SessionFeed] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._cells: dict[str, str] = {}

    async def bus_of(self, session: str) -> Bus:
        """The bus in the cell of a session.

        Raises:
            SessionUnknown: no session has that id.
        """
        checked_session(session)
        if session not in self._cells:
            self._cells[session] = (await self.bus.reader.find(session)).cell
        there = self.bus.in_cell(self._cells[session])
        if session not in self._feeds and await there.reader.started(session) is None:
            del self._cells[session]  # it was deleted, and may be another's id now
            return await self.bus_of(session)
        return there

    async def feed(self, session: str) -> SessionFeed:
        """The feed of a session.

        Raises:
            SessionUnknown: no session has that id.
        """
        bus = await self.bus_of(session)
        if session not in self._feeds:
            feed = self._feeds[session] = SessionFeed(bus, session)
            self._running[session] = self._tasks.create_task(feed.run())
            self._drop_later(feed)
        feed = self._feeds[session]
        await feed.known.wait()
        return feed

    def let_go(self) -> None:
        """End the events of every viewer, so that the server can stop."""
        for feed in self._feeds.values():
            feed.let_go()

    async def close(self) -> None:
        """Read nothing more."""
        for running in self._running.values():
            running.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _drop_later(self, feed: SessionFeed) -> None:
        asyncio.get_running_loop().call_later(KEPT, self._drop_if_idle, feed)

    def _drop_if_idle(self, feed: SessionFeed) -> None:
        if feed.viewers:
            self._drop_later(feed)
        elif self._feeds.get(feed.session) is feed:
            del self._feeds[feed.session]
            self._running.pop(feed.session).cancel()
