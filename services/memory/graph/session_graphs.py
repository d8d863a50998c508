"""Builds the graph of sessions from their records, and asks it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from mesh.record.bus import Bus
from schemas.envelope import Envelope
from schemas.game import SessionStarted
from services.memory.graph.batches import digest_of
from services.memory.graph.file_lock import locked
from services.memory.graph.graph_files import FileStatus, GraphError, QueryResult
from services.memory.graph.recorded_sessions import world_from_record
from services.memory.graph.session_graph_store import (
    ReadOnlySessionGraph,
    SessionFacts,
    SessionGraphStore,
    StoredSession,
)
from services.memory.graph.store_files import companion_files, delete
from services.memory.graph.store_pool import StorePool
from services.memory.timeline.world_model import WorldModel

MOST_ROWS = 10_000
"""Rows of an answer, at most."""
_READING = re.compile(
    r"\s*(?:optional\s+match|match|unwind|with|return|call\s+(?:show_tables|table_info))\b", re.I
)


class QueryRefused(Exception):
    """A query that does not read, or that the library cannot run; the text says why in one line."""


class SessionGraphs:
    """The graphs of a cell: of single sessions, and of all sessions of a story."""

    def __init__(self, directory: Path, pool: StorePool) -> None:
        """`directory`: the memory's, of all cells."""
        self._directory, self._pool = directory, pool

    def of_session(self, cell: str, session: str) -> Path:
        """The file of the graph of one session."""
        return self._directory / cell / "graph" / "session" / f"{session}.kuzu"

    def of_story(self, cell: str, md5: str, *, text_only: bool) -> Path:
        """The file of the graph of a story's sessions; text-only ones know rooms by other ids."""
        return self._directory / cell / "graph" / "story" / f"{md5}{'-text' if text_only else ''}.kuzu"

    @asynccontextmanager
    async def opened(
        self, path: Path, bus: Bus, sessions: Sequence[Envelope], told: Callable[[str], None]
    ) -> AsyncIterator[SessionGraph]:
        """The graph in a file, for reading, once it holds all of the sessions' records and nothing else.

        `told` hears how many sessions are read, before a wait. Raises GraphError, FileBusy and OSError.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        async with locked(path):
            await self._update(path, bus, sessions, told)
            await self._pool.open(path, ReadOnlySessionGraph)
            try:
                yield SessionGraph(self._pool, path)
            finally:
                await self._pool.close(path)

    async def _update(
        self, path: Path, bus: Bus, sessions: Sequence[Envelope], told: Callable[[str], None]
    ) -> None:
        stored = await self._stored(path)
        stale = [start for start in sessions if not await _is_whole(bus, start, stored.get(start.session))]
        if not stored.keys() <= {start.session for start in sessions}:
            stored, stale = await self._emptied(path), list(sessions)
        if stale:
            told(f"reading {len(stale)} of {len(sessions)} sessions into the graph")
        for start in stale:
            world = await world_from_record(bus, start.session)
            if not _continues(world, stored.get(start.session)):
                await self._emptied(path)
                return await self._update(path, bus, sessions, told)
            await self._add(path, start, world, stored.get(start.session))
        return None

    async def _add(
        self, path: Path, start: Envelope, world: WorldModel, stored: StoredSession | None
    ) -> None:
        first = stored.steps + 1 if stored else 0
        new = [changes for changes in world.changes if changes.step >= first]
        await self._pool.open(path, SessionGraphStore)
        try:
            await self._pool.use(path, "add_session", _facts_of(start, world), new, dict(world.ends))
        finally:
            await self._pool.close(path)

    async def _stored(self, path: Path) -> Mapping[str, StoredSession]:
        opened = await self._pool.open(path, SessionGraphStore)
        try:
            if opened.status is not FileStatus.RESUMED:
                return {}
            found: Mapping[str, StoredSession] = await self._pool.use(path, "sessions")
            return found
        finally:
            await self._pool.close(path)

    async def _emptied(self, path: Path) -> Mapping[str, StoredSession]:
        """Begin a file anew: a session in it was deleted, or recorded anew under its name."""
        delete((path, *companion_files(path)))
        return await self._stored(path)


class SessionGraph:
    """An open graph."""

    def __init__(self, pool: StorePool, path: Path) -> None:
        self._pool, self._path = pool, path

    async def query(self, text: str, **parameters: object) -> QueryResult:
        """The answer to a query that reads.

        Raises:
            QueryRefused: it would write, or it cannot be run.
        """
        if not _READING.match(text):
            raise QueryRefused("it does not begin with MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN")
        try:
            table: QueryResult = await self._pool.use(self._path, "query", text, MOST_ROWS, **parameters)
        except GraphError as error:
            raise QueryRefused(" ".join(error.reason.split())) from error
        return table


async def _is_whole(bus: Bus, start: Envelope, stored: StoredSession | None) -> bool:
    """Whether as many steps are stored as the record has."""
    last = await bus.reader.last_step(start.session)
    if last is None or stored is None:
        return last is None
    return (stored.steps, stored.record) == (last.step, last.digest)


def _continues(world: WorldModel, stored: StoredSession | None) -> bool:
    """Whether a record begins with what is stored of its session."""
    if stored is None:
        return True
    changes = next((c for c in world.changes if c.step == stored.steps), None)
    return changes is not None and digest_of(changes) == stored.digest


def _facts_of(start: Envelope, world: WorldModel) -> SessionFacts:
    started = start.body
    assert isinstance(started, SessionStarted)
    steps = list(world.changes.steps(None))
    scores = [step.score for step in steps if step.score is not None]
    return SessionFacts(
        id=start.session,
        policy=started.policy,
        seed=started.seed,
        steps=world.last_step,
        score=max(scores, default=None),
        points=sum(step.reward for step in steps if step.reward > 0),
        deaths=sum(not won for won in world.ends.values()),
        won=any(world.ends.values()),
        record=world.beliefs.last.digest if world.beliefs.last else "",
    )
