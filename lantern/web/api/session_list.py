"""The sessions that there are, with a curve of each one's score."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from lantern.recorded.session_list import RUNNING, ListedSession, sessions_of
from mesh.nats.subjects import wildcard
from mesh.record.batches import Batches
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope

FRESH = 1.0
"""Seconds for which a list is not read again, however many ask for it."""

POINTS = 120
"""Of a curve, at most."""


class _ScoreGlimpse(msgspec.Struct):
    score: int | None = None
    reward: int = 0


class _StepGlimpse(msgspec.Struct):
    step: int
    body: _ScoreGlimpse


@dataclass(slots=True)
class ScoreCurve:
    """The steps at which the score of a session changed, read as far as the record goes."""

    after: int = 0
    changes: list[tuple[int, int]] = field(default_factory=list)

    def take(self, data: bytes) -> None:
        """Take in the next step; one that cannot be decoded tells nothing."""
        try:
            glimpse = msgspec.json.decode(data, type=_StepGlimpse)
        except msgspec.DecodeError:
            return
        before = self.changes[-1][1] if self.changes else 0
        score = before + glimpse.body.reward if glimpse.body.score is None else glimpse.body.score
        if not self.changes or score != before:
            self.changes.append((glimpse.step, score))

    async def read(self, bus: Bus, session: str) -> None:
        """Read what has come since."""
        steps = wildcard(bus.cell.name, session, Kind.STEP)
        async with Batches(bus.cell, steps, self.after) as batches:
            while batches.more:
                for raw in await batches.next():
                    self.take(raw.data or b"")
            self.after = batches.after


Key = tuple[str, str]
"""The cell and the session."""


class SessionList:
    """The list, read at most once a second; of sessions that have ended, once for each end."""

    def __init__(self, bus: Bus, cell: str) -> None:
        self.bus, self._cell = bus, cell
        self._lock = asyncio.Lock()
        self._read_at, self._list = -FRESH, list[dict[str, Any]]()
        self._ended: dict[Key, tuple[Envelope, dict[str, Any]]] = {}
        self._curves: dict[Key, ScoreCurve] = {}

    async def sessions(self) -> list[dict[str, Any]]:
        """The sessions, those that are played first, then the newest."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if now - self._read_at >= FRESH:
                self._list = await self._sessions()
                self._read_at = asyncio.get_running_loop().time()
            return self._list

    async def _sessions(self) -> list[dict[str, Any]]:
        starts = await self.bus.reader.sessions(self._cell)
        known = {(start.cell, start.session): start for start in starts}
        self._ended = {key: kept for key, kept in self._ended.items() if known.get(key) == kept[0]}
        self._curves = {key: curve for key, curve in self._curves.items() if key in known}
        unknown = [start for key, start in known.items() if key not in self._ended]
        found = {key: told for key, (_, told) in self._ended.items()}
        for start, listed in zip(unknown, await sessions_of(self.bus, unknown), strict=True):
            key = (start.cell, start.session)
            found[key] = await self._told(key, listed)
            if listed.summary.ended is not None:
                self._ended[key] = (start, found[key])
        return sorted(found.values(), key=_rank)

    async def _told(self, key: Key, listed: ListedSession) -> dict[str, Any]:
        started, ended = listed.summary.started, listed.summary.ended
        changes = list(ended.score_changes) if ended else []
        if not changes:
            curve = self._curves.setdefault(key, ScoreCurve())
            await curve.read(self.bus.in_cell(key[0]), key[1])
            changes = curve.changes
        return {
            **listed.as_json(),
            "budget": started.steps if started else None,
            "text_only": started.text_only if started else False,
            "changes": thinned(changes),
        }


def thinned(changes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most so many points of a curve as can be seen; the last one stays."""
    if len(changes) <= POINTS:
        return changes
    return [changes[at * (len(changes) - 1) // (POINTS - 1)] for at in range(POINTS)]


def _rank(told: dict[str, Any]) -> tuple[bool, float]:
    return told["state"] != RUNNING, -datetime.fromisoformat(told["date"]).timestamp()
