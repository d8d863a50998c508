"""The graph on Kuzu: the one file that knows the library. Its calls run in one thread of the store's own."""

# ruff: noqa: D102  (what each method promises is said once, in the Protocol)
from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, TypeVar

import kuzu

from services.memory import cypher
from services.memory.batches import Row, batch_of, digest_of
from services.memory.facts import AT, BLOCKED, EXIT, HAS, PLAYER, Changes, Entity, EntityKind, Turn
from services.memory.graph import Blocked, Exit, GraphError, Opening, Outcome, Sighting, Told

BUFFER_POOL_BYTES = 64 * 1024 * 1024
"""Kuzu's default takes most of the machine's memory."""

QUERY_MILLISECONDS = 30_000
_COPIES = 4
_T = TypeVar("_T")


class KuzuGraph:
    """One session's graph in one file."""

    def __init__(self, thread: ThreadPoolExecutor, database: _Database, opening: Opening) -> None:
        self._thread = thread
        self._database = database
        self.opening = opening

    @classmethod
    async def open(cls, path: Path) -> KuzuGraph:
        """Open a session's graph, or begin it.

        A file that can not be read, or has another schema, is moved aside (`.broken`) and begun anew; where
        it is open already, a second file beside it is used. `opening` says which it was.

        Raises:
            GraphError: no file can be used.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="kuzu")
        try:
            loop = asyncio.get_running_loop()
            database, opening = await loop.run_in_executor(thread, _opened, path)
        except (RuntimeError, OSError) as error:
            thread.shutdown(wait=False)
            raise GraphError(str(path), str(error)) from error
        return cls(thread, database, opening)

    async def write(self, changes: Sequence[Changes]) -> None:
        await self._in_thread(self._database.write, tuple(changes))

    async def forget_after(self, step: int) -> None:
        await self._in_thread(self._database.forget_after, step)

    async def last_step(self) -> int:
        return await self._in_thread(self._database.last_step)

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        rows = await self._ask(cypher.ENTITIES, kind=kind.value)
        return tuple(_entity(*row) for row in rows)

    async def room_now(self) -> Told | None:
        return next(iter(await self._holding(AT)), None)

    async def inventory(self) -> tuple[Told, ...]:
        return await self._holding(HAS)

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=EXIT)
        return tuple(Exit(name.removeprefix(EXIT), _entity(*end), since) for name, *end, since in rows)

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=BLOCKED)
        return tuple(Blocked(name.removeprefix(BLOCKED), since) for name, *_, since in rows)

    async def sightings_of(self, thing: str) -> tuple[Sighting, ...]:
        rows = await self._ask(cypher.SIGHTINGS_ELSEWHERE, thing=thing)
        rows += await self._ask(cypher.SIGHTINGS_HELD, thing=thing, player=PLAYER.id)
        seen = (Sighting(_entity(*holder), since, until) for *holder, since, until in rows)
        return tuple(sorted(seen, key=lambda s: (s.since, s.holder.id)))

    async def tried_in(self, room: str) -> tuple[Turn, ...]:
        rows = await self._ask(cypher.TRIED, room=room)
        return tuple(Turn(*row) for row in rows)

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        rows = await self._ask(cypher.MENTIONED, entity=entity)
        return tuple(row[0] for row in rows)

    async def close(self) -> None:
        if not self._database.closed:
            await self._in_thread(self._database.close)
            self._thread.shutdown()

    async def _holding(self, relation: str) -> tuple[Told, ...]:
        rows = await self._ask(cypher.HOLDING_NOW, subject=PLAYER.id, relation=relation)
        return tuple(Told(_entity(*entity), since) for *entity, since in rows)

    async def _ask(self, query: str, **parameters: object) -> list[list[Any]]:
        return await self._in_thread(self._database.rows, query, **parameters)

    async def _in_thread(self, call: Callable[..., _T], *args: object, **kwargs: object) -> _T:
        """Run a blocking call after those before it; Kuzu's errors become ours."""
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, partial(call, *args, **kwargs))
        except (RuntimeError, ValueError) as error:
            raise GraphError(str(self.opening.path), str(error)) from error


class _HeldElsewhere(RuntimeError):
    """A file is open already."""


class _Database:
    """The blocking face of one Kuzu file.

    Kuzu itself undoes a transaction in which a query fails; not one in which a text is no valid Unicode.
    """

    _in_use: ClassVar[set[Path]] = set()
    """Kuzu's lock keeps other processes out, but not a second opening by the same one."""
    _claiming: ClassVar[Lock] = Lock()

    def __init__(self, path: Path) -> None:
        self.closed = False
        self._statements: dict[str, kuzu.PreparedStatement] = {}
        self._path = path.resolve()
        self._claim()
        try:
            self._kuzu = kuzu.Database(str(path), buffer_pool_size=BUFFER_POOL_BYTES, max_num_threads=1)
            self._connection = kuzu.Connection(self._kuzu, num_threads=1)
            self._connection.set_query_timeout(QUERY_MILLISECONDS)
        except RuntimeError as error:
            self._in_use.discard(self._path)
            raise (_HeldElsewhere(path) if "Could not set lock" in str(error) else error) from error

    def rows(self, query: str, **parameters: object) -> list[list[Any]]:
        result = self._connection.execute(self._statement(query, parameters), parameters)
        assert isinstance(result, kuzu.QueryResult)
        with result:
            return [list(row) for row in result.get_all()]

    def _statement(self, query: str, parameters: dict[str, object]) -> kuzu.PreparedStatement:
        """A query is prepared once: each `execute` of a text keeps 8 to 60 KB for ever (kuzu 0.11.3)."""
        if query not in self._statements:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                self._statements[query] = self._connection.prepare(query, parameters)
        return self._statements[query]

    def create_schema(self) -> None:
        for statement in cypher.SCHEMA:
            self.rows(statement)
        self.rows(cypher.WRITE_VERSION, version=cypher.SCHEMA_VERSION)

    def check(self) -> None:
        """Raise RuntimeError where the file has another schema or can not be read."""
        found = self.rows(cypher.READ_VERSION)
        if found != [[cypher.SCHEMA_VERSION]]:
            raise RuntimeError(f"its schema is {found}, not {cypher.SCHEMA_VERSION}")
        for query in cypher.READ_ALL:
            self.rows(query)

    def last_step(self) -> int:
        last = self.rows(cypher.LAST_STEP)[0][0]
        return -1 if last is None else int(last)

    def forget_after(self, step: int) -> None:
        with self._transaction():
            self._forget_after(step)

    def write(self, changes: Sequence[Changes]) -> None:
        new = self._not_held(changes)
        if not new:
            return
        batch = batch_of(new)
        with self._transaction():
            if new[0].step <= self.last_step():
                self._forget_after(new[0].step - 1)
            self._add(cypher.ADD_ENTITIES, batch.entities)
            self._add(cypher.ADD_TURNS, batch.turns)
            self._add(cypher.ADD_FACTS, batch.facts)
            self._add(cypher.END_FACTS, batch.ended)
            self._add(cypher.ADD_MENTIONS, batch.mentions)

    def close(self) -> None:
        self.closed = True
        self._statements.clear()
        self._connection.close()
        self._kuzu.close()
        self._in_use.discard(self._path)

    def _claim(self) -> None:
        with self._claiming:
            if self._path in self._in_use:
                raise _HeldElsewhere(self._path)
            self._in_use.add(self._path)

    def _not_held(self, changes: Sequence[Changes]) -> Sequence[Changes]:
        """The changes from the first that the graph does not hold."""
        if not changes or changes[0].step > self.last_step():
            return changes
        held = dict(self.rows(cypher.DIGESTS, first=changes[0].step, last=changes[-1].step))
        same = takewhile(lambda change: held.get(change.step) == digest_of(change), changes)
        return changes[sum(1 for _ in same) :]

    def _add(self, query: str, rows: list[Row]) -> None:
        if rows:
            self.rows(query, rows=rows)

    def _forget_after(self, step: int) -> None:
        for statement in cypher.FORGET:
            self.rows(statement, step=step)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.rows("BEGIN TRANSACTION")
        try:
            yield
            self.rows("COMMIT")
        except ValueError:
            self.rows("ROLLBACK")
            raise


def _opened(path: Path) -> tuple[_Database, Opening]:
    """The graph's file, or the first one beside it that nobody holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for copy in range(1, _COPIES + 1):
        candidate = path if copy == 1 else path.with_name(f"{path.stem}.{copy}{path.suffix}")
        reason = "" if copy == 1 else f"{path} is held by another process, or once more by this one"
        with suppress(_HeldElsewhere):
            return _resumed_or_created(candidate, reason)
    raise GraphError(str(path), f"it is held elsewhere, and so are the {_COPIES - 1} files beside it")


def _resumed_or_created(path: Path, reason: str) -> tuple[_Database, Opening]:
    if not path.exists():
        return _prepared(path, _Database.create_schema), Opening(path, Outcome.CREATED, reason)
    try:
        return _prepared(path, _Database.check), Opening(path, Outcome.RESUMED, reason)
    except _HeldElsewhere:
        raise
    except RuntimeError as error:
        _move_aside(path)
        return _prepared(path, _Database.create_schema), Opening(path, Outcome.REBUILT, str(error))


def _prepared(path: Path, prepare: Callable[[_Database], None]) -> _Database:
    database = _Database(path)
    try:
        prepare(database)
    except RuntimeError:
        database.close()
        raise
    return database


def _move_aside(path: Path) -> None:
    """Keep a broken file for whoever wants to know; its log of writes belongs to nothing any more."""
    path.replace(path.with_name(f"{path.name}.broken"))
    for suffix in (".wal", ".shadow"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _entity(entity: str, kind: str, name: str) -> Entity:
    return Entity(entity, EntityKind(kind), name)
