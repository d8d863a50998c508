"""One graph file on Kuzu or Ladybug: the one place that knows these libraries. All calls block."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, assert_never

from services.memory.beliefs.facts import Changes
from services.memory.history import cypher
from services.memory.history.batches import Row, batch_of, digest_of
from services.memory.settings import Library

CHECKPOINT_BYTES = 1 << 20
"""Size of the log of writes at which it is moved into the file. Until then what was written stays in the
buffer, up to 25 KB a step: without checkpoints 64 MB are full after 2,000 steps written one by one."""

LARGEST_FILE_BYTES = 1 << 34
"""Address space reserved for each file; the libraries' default, 8 TB, is enough for fifteen files."""

QUERY_MILLISECONDS = 30_000

Prepare = Callable[["Store"], None]


class HeldElsewhere(Exception):
    """Another process has the file open."""


class StoreError(Exception):
    """The library failed; the text is its own."""


def library_missing(library: Library) -> str | None:
    """Why a library can not be used, and the mend; None: it can be."""
    try:
        _module(library)
    except ImportError as error:
        return (
            f"The memory's store {library.value!r} cannot be loaded ({error}). "
            f"Run `pip install {library.value}`, or unset LANTERN_MEMORY_STORE."
        )
    return None


class Store:
    """An open file. A transaction in which anything fails is undone.

    Every method raises `StoreError`; the constructor `HeldElsewhere` too.
    """

    def __init__(self, path: Path, library: Library, buffer_bytes: int) -> None:
        if (missing := library_missing(library)) is not None:
            raise StoreError(missing)
        self._library = _module(library)
        self._statements: dict[str, Any] = {}
        self._log = path.with_name(path.name + ".wal")
        with _told(path):
            self._database = self._library.Database(
                str(path),
                buffer_pool_size=buffer_bytes,
                max_num_threads=1,
                max_db_size=LARGEST_FILE_BYTES,
                auto_checkpoint=False,
            )
            self._connection = self._library.Connection(self._database, num_threads=1)
            self._connection.set_query_timeout(QUERY_MILLISECONDS)
            self.rows(cypher.CLOSE_AT_ONCE)

    def create_schema(self) -> None:
        """Begin an empty file."""
        for statement in cypher.SCHEMA:
            self.rows(statement)
        self.rows(cypher.WRITE_VERSION, version=cypher.SCHEMA_VERSION)

    def check(self) -> None:
        """Raise where the file has another schema or can not be read."""
        found = self.rows(cypher.READ_VERSION)
        if found != [[cypher.SCHEMA_VERSION]]:
            raise StoreError(f"its schema is {found}, not {cypher.SCHEMA_VERSION}")
        for query in cypher.READ_ALL:
            self.rows(query)

    def last_step(self) -> int:
        """The newest step held; -1 for none."""
        last = self.rows(cypher.LAST_STEP)[0][0]
        return -1 if last is None else int(last)

    def write(self, changes: Sequence[Changes]) -> None:
        """Add steps in one transaction: all of them or, on an error, none."""
        new = self._not_held(changes)
        if not new:
            return
        batch, replaces = batch_of(new), new[0].step <= self.last_step()
        with self._transaction():
            if replaces:
                self._forget_after(new[0].step - 1)
            self._add(cypher.ADD_ENTITIES, batch.entities)
            self._add(cypher.ADD_TURNS, batch.turns)
            self._add(cypher.ADD_FACTS, batch.facts)
            self._add(cypher.END_FACTS, batch.ended)
            self._add(cypher.ADD_MENTIONS, batch.mentions)
        if replaces or self._log_bytes() >= CHECKPOINT_BYTES:
            self._checkpoint()

    def forget_after(self, step: int) -> None:
        """Make the file what it was after this step."""
        with self._transaction():
            self._forget_after(step)
        self._checkpoint()

    def rows(self, query: str, **parameters: object) -> list[list[Any]]:
        """What a query gives. It is prepared once: each `execute` of a text keeps memory (kuzu 0.11.3)."""
        with _told():
            if query not in self._statements:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self._statements[query] = self._connection.prepare(query, parameters)
            with self._connection.execute(self._statements[query], parameters) as result:
                return [list(row) for row in result.get_all()]

    def close(self) -> None:
        """Let go of the file; what was written is in it, or in its log, whatever happens here."""
        self._statements.clear()
        with suppress(StoreError), _told():
            self._connection.close()
            self._database.close()

    def _checkpoint(self) -> None:
        """Move the log into the file; should that fail, the log still holds everything, and grows.

        Due after deletions at once: a log that holds some can not be read again (kuzu 0.11.3).
        """
        with suppress(StoreError):
            self.rows("CHECKPOINT")

    def _log_bytes(self) -> int:
        return self._log.stat().st_size if self._log.exists() else 0

    def _not_held(self, changes: Sequence[Changes]) -> Sequence[Changes]:
        """The changes from the first that the file does not hold."""
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
        except StoreError:
            with suppress(StoreError):  # the library has undone it already, if a query failed in it
                self.rows("ROLLBACK")
            raise


def _module(library: Library) -> Any:
    match library:
        case Library.KUZU:
            import kuzu

            return kuzu
        case Library.LADYBUG:
            import ladybug

            return ladybug
        case _:
            assert_never(library)


@contextmanager
def _told(path: Path | None = None) -> Iterator[None]:
    """The library's errors become ours."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, OSError, OverflowError) as error:
        if path is not None and "Could not set lock" in str(error):
            raise HeldElsewhere(path) from error
        raise StoreError(str(error)) from error
