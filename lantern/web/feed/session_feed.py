"""Follows one session for all of its viewers: the record is read once, and told to everybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

import structlog

from lantern.web.feed.events import event
from lantern.web.feed.glimpses import proposal_in, step_in, verdict_in
from lantern.web.feed.marks import marks_of_proposal, marks_of_verdict
from lantern.web.feed.session_timeline import SessionTimeline
from lantern.web.feed.step_page import held_fragments, step_page
from mesh.errors import FailureError
from mesh.nats.codec import message_in
from mesh.nats.connection import reason_of
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.nats.subjects import wildcard
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.record.following import follow
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven

TICK, SLOW_TICK = 0.05, 0.25
"""Seconds between two broadcasts; the second, where many watch."""

MANY = 20
BACKLOG = 200
"""Events that may wait for a viewer; one that is slower is let go, and comes back by itself."""

PAGE_EVERY = 0.2
"""Seconds between two pages of the step under way."""

MAP_EVERY = 0.5
"""Seconds between two changes of the map: a new room may move the others."""

AGAIN = 1.0
"""Seconds after which a session that cannot be read, or that has ended, is looked at again."""

CHUNK = 2000
"""Rows in one event."""

TURN = 16
"""Of so many recorded messages one lets other work go on."""

SLACK = 10
"""Steps before the last one that are told again to who comes back: what happened at them may have changed."""

Recorded = tuple[str, bytes]
"""A message as it is in the record: the subject and the bytes."""

EMPTY: dict[str, Any] = {"rooms": [], "facts": []}
"""A map of which nothing is drawn yet."""

log = structlog.get_logger()


class SessionFeed:
    """One session of the bus's cell, as long as somebody watches it."""

    def __init__(self, bus: Bus, session: str) -> None:
        self.bus, self.session = bus, session
        self.timeline = SessionTimeline()
        self.known = asyncio.Event()
        """Set when its start has been read, or is known not to be there."""
        self._viewers: set[asyncio.Queue[bytes | None]] = set()
        self._dirty = asyncio.Event()
        self._header = b""
        self._whole = False
        """Whether all that was recorded before has been read."""
        self._away, self._gone = False, False
        self._last = -1
        """The last step that was recorded when the reading began."""
        self._pages: dict[int, list[Envelope]] = {}
        """The messages of the newest steps."""
        self._said: dict[str, FragmentGiven] = {}
        self._page_at, self._page = 0.0, -1
        self._map_at, self._folding = 0.0, True

    @property
    def viewers(self) -> int:
        """How many watch."""
        return len(self._viewers)

    async def events(self, after: int) -> AsyncGenerator[bytes, None]:
        """What a viewer is told: all from step `after` on, then what comes, until the viewer is too slow."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._viewers.add(queue)  # what comes while the beginning is sent comes after it
        for beginning in self._beginning(after):
            queue.put_nowait(beginning)
        try:
            while (told := await queue.get()) is not None:
                yield told
        finally:
            self._viewers.discard(queue)

    def let_go(self) -> None:
        """End the events of every viewer."""
        for queue in self._viewers:
            queue.put_nowait(None)
        self._viewers.clear()

    async def run(self) -> None:
        """Read the session, and follow it through its ends and resumes, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._broadcast())
            after = 0
            while True:
                try:
                    if not self._whole:
                        after = await self._read()
                    after = await self._follow(after)
                except (FailureError, *TRANSIENT_FAULTS) as error:
                    log.info("session_not_read", session=self.session, error=reason_of(error))
                    self._set_away(True)
                await asyncio.sleep(AGAIN)

    def _beginning(self, after: int) -> list[bytes]:
        rows = self.timeline.since(after)
        drawn = EMPTY if self._folding else self.timeline.map.whole()
        told = [event("session", self._about()), event("map", {**drawn, "whole": True})]
        for at in range(0, len(rows), CHUNK):
            chunk = rows[at : at + CHUNK]
            number = max(chunk[-1].step - SLACK, 0) if self._whole else None
            told.append(event("rows", chunk, number))
        return told

    async def _read(self) -> int:
        """Take in what is recorded; the stream's number up to which that is."""
        after = await self.bus.reader.sequence()
        for kind in (Kind.STARTED, Kind.ENDED):
            if (newest := await self.bus.reader.newest(self.session, kind)) is not None:
                self.timeline.after(newest.body)
            if kind is Kind.ENDED and await self.bus.reader.end_of(self.session) is None:
                self.timeline.ended = None
        last = await self.bus.reader.newest(self.session, Kind.STEP)
        self._last = last.step if last else -1
        self.known.set()
        self._set_away(False)
        steps = []
        async for subject, data in self._recorded(Kind.STEP):
            steps.append((subject, data))
            if (step := step_in(data)) is not None:
                self.timeline.glance(step)
        async for _, data in self._recorded(Kind.VERDICT):
            if (verdict := verdict_in(data)) is not None:
                self.timeline.mark(verdict.step, marks_of_verdict(verdict))
        async for _, data in self._recorded(Kind.PROPOSAL):
            if (proposal := proposal_in(data)) is not None:
                self.timeline.mark(proposal.step, marks_of_proposal(proposal))
        self._whole = True
        await self._fold(steps)
        return after

    async def _recorded(self, kind: Kind) -> AsyncIterator[Recorded]:
        """The recorded messages of a kind."""
        async for raw in raw_messages(self.bus.cell, wildcard(self.bus.cell.name, self.session, kind)):
            yield raw.subject or "", raw.data or b""
            await self._let_others((raw.seq or 0) % TURN == 0)

    async def _fold(self, steps: Sequence[Recorded]) -> None:
        """Read the texts, and draw the map: that takes longest, and comes when the timeline is there."""
        for at, (subject, data) in enumerate(steps):
            if (envelope := message_in(subject, data)) is not None:
                self.timeline.after(envelope.body)
            await self._let_others(at % TURN == 0)
        self._folding = False
        self._dirty.set()

    async def _let_others(self, now: bool) -> None:
        """Who asks for a step meanwhile does not wait for the whole record."""
        if now:
            self._dirty.set()
            await asyncio.sleep(0)

    async def _follow(self, after: int) -> int:
        """Take in what comes, until the session has ended; the stream's number up to which that is."""
        if self.timeline.ended is None:
            async for envelope in follow(self.bus.reader, self.session, tuple(Kind), after):
                self._set_away(not self.bus.cell.is_connected)
                if envelope is not None:
                    self._take(envelope)
                elif not self._away and await self.bus.reader.started(self.session) is None:
                    self._gone = True
                    self._dirty.set()
            after = await self.bus.reader.sequence()
        while True:
            if await self.bus.reader.started_after(self.session, after):
                self.timeline.ended = None
                return after
            self._set_away(False)
            await asyncio.sleep(AGAIN)

    def _take(self, envelope: Envelope) -> None:
        self.timeline.after(envelope.body)
        body, number = envelope.body, envelope.step
        if isinstance(body, FragmentGiven) and not body.unchanged:
            self._said[envelope.service.name] = body
        self._pages.setdefault(number, []).append(envelope)
        for old in [each for each in self._pages if each < self.timeline.newest - 2]:
            del self._pages[old]
        self._dirty.set()

    def _set_away(self, away: bool) -> None:
        if away != self._away:
            self._away = away
            self._dirty.set()

    async def _broadcast(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            if told := b"".join(self._news()):
                for queue in [*self._viewers]:
                    self._send(queue, told)
            await asyncio.sleep(TICK if self.viewers <= MANY else SLOW_TICK)

    def _send(self, queue: asyncio.Queue[bytes | None], told: bytes) -> None:
        if queue.qsize() < BACKLOG - 1:
            queue.put_nowait(told)
        elif queue in self._viewers:
            self._viewers.discard(queue)
            queue.put_nowait(None)

    def _news(self) -> list[bytes]:
        told = []
        if (header := event("session", self._about())) != self._header:
            self._header = header
            told.append(header)
        rows = self.timeline.drain()
        for at in range(0, len(rows), CHUNK):
            chunk = rows[at : at + CHUNK]
            number = max(self.timeline.newest - SLACK, 0) if self._whole else None
            told.append(event("rows", chunk, number))
        if (grown := self._map_of_now()) is not None:
            told.append(event("map", grown))
        if (page := self._page_of_now()) is not None:
            told.append(event("step", page))
        return told

    def _map_of_now(self) -> dict[str, Any] | None:
        """What has changed of the map, not too often, and not while a long record is folded."""
        news, now = self.timeline.map.has_news, asyncio.get_running_loop().time()
        if not news or self._folding:
            return None
        if now - self._map_at < MAP_EVERY:
            self._dirty.set()
            return None
        self._map_at = now
        return self.timeline.map.drain()

    def _page_of_now(self) -> dict[str, Any] | None:
        """The page of the step under way, not too often."""
        now, number = asyncio.get_running_loop().time(), self.timeline.newest
        if number not in self._pages:
            return None
        if now - self._page_at < PAGE_EVERY:
            self._dirty.set()
            return None
        messages = self._pages[number]
        mark = (number << 8) + len(messages)
        if mark == self._page:
            return None
        self._page_at, self._page = now, mark
        held = {name: self._said[name] for name in held_fragments(messages) if name in self._said}
        return step_page(number, messages, held)

    def _about(self) -> dict[str, Any]:
        started, ended = self.timeline.started, self.timeline.ended
        return {
            "session": self.session,
            "cell": self.bus.cell.name,
            "started": started.model_dump(mode="json", exclude={"experience"}) if started else None,
            "ended": ended.model_dump(mode="json", exclude={"score_changes"}) if ended else None,
            "last": self._last,
            "whole": self._whole,
            "away": self._away,
            "gone": self._gone,
        }
