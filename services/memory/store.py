"""One graph file on Kuzu or Ladybug. No other module uses these libraries. All calls block."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Any, assert_never

from services.memory.beliefs.facts import Changes
from services.memory.history import cypher
from services.memory.history.batches import Row, batch_of, digest_of
from services.memory.history.graph import GraphLibrary

CHECKPOINT_BYTES = 1 << 20
"""The size of the write-ahead log at which a checkpoint moves it into the file. Until then the writes stay in
the buffer, up to 25 KB a step: without checkpoints, 2,000 steps written one by one fill 64 MB."""

LARGEST_FILE_BYTES = 1 << 34
"""Address space reserved for each file; with the libraries' default, 8 TB, fifteen files fit."""

QUERY_MILLISECONDS = 30_000

Prepare = Callable[["Store"], None]


class FileLocked(Exception):
    """Another process has the file open."""


class StoreError(Exception):
    """The library failed; the text is the library's."""


def library_missing(library: GraphLibrary) -> str | None:
    """That a library is not installed, and what to do; None: it is. (It is not loaded here.)"""
    return None if find_spec(library.value) else _cannot_be_loaded(library, "it is not installed")


def _cannot_be_loaded(library: GraphLibrary, why: object) -> str:
    return (
        f"The memory's store {library.value!r} cannot be loaded ({why}). "
        f"Run `pip install {library.value}`, or unset LANTERN_MEMORY_STORE."
    )


class Store:
    """An open file. A transaction is rolled back if anything in it fails.

    Every method raises `StoreError`; the constructor `FileLocked` too.
    """

    def __init__(self, path: Path, library: GraphLibrary, buffer_bytes: int) -> None:
        self._library = _module(library)
        self._statements: dict[str, Any] = {}
        self._log = path.with_name(path.name + ".wal")
        with _translated_errors(path):
            self._database = self._library.Database(
                str(path),
                buffer_pool_size=buffer_bytes,
                max_num_threads=1,
                max_db_size=LARGEST_FILE_BYTES,
                auto_checkpoint=False,
            )
            self._connection = self._library.Connection(self._database, num_threads=1)
            self._connection.set_query_timeout(QUERY_MILLISECONDS)
            self.rows(cypher.NO_CHECKPOINT_ON_CLOSE)

    def create_schema(self) -> None:
        """Create the tables in an empty file."""
        for statement in cypher.SCHEMA:
            self.rows(statement)
        self.rows(cypher.WRITE_VERSION, version=cypher.SCHEMA_VERSION)

    def check(self) -> None:
        """Raise an error if the file has another schema or cannot be read."""
        found = self.rows(cypher.READ_VERSION)
        if found != [[cypher.SCHEMA_VERSION]]:
            raise StoreError(f"its schema is {found}, not {cypher.SCHEMA_VERSION}")
        for query in cypher.READ_ALL:
            self.rows(query)

    def last_step(self) -> int:
        """The newest step in the file; -1: there is none."""
        last = self.rows(cypher.LAST_STEP)[0][0]
        return -1 if last is None else int(last)

    def write(self, changes: Sequence[Changes]) -> None:
        """Add steps in one transaction: all of them or, on an error, none."""
        new = self._not_stored(changes)
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
        """Delete everything that came after this step."""
        with self._transaction():
            self._forget_after(step)
        self._checkpoint()

    def rows(self, query: str, **parameters: object) -> list[list[Any]]:
        """The rows of a query. It is prepared once: each `execute` of a text leaks memory (kuzu 0.11.3)."""
        with _translated_errors():
            if query not in self._statements:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self._statements[query] = self._connection.prepare(query, parameters)
            with self._connection.execute(self._statements[query], parameters) as result:
                return [list(row) for row in result.get_all()]

    def close(self) -> None:
        """Close the file; what was written is in it or in its log, even if this fails."""
        self._statements.clear()
        with suppress(StoreError), _translated_errors():
            self._connection.close()
            self._database.close()

    def _checkpoint(self) -> None:
        """Move the log into the file. If that fails, the log keeps everything, and grows.

        Deletions need a checkpoint at once: a log that contains some cannot be replayed (kuzu 0.11.3).
        """
        with suppress(StoreError):
            self.rows("CHECKPOINT")

    def _log_bytes(self) -> int:
        return self._log.stat().st_size if self._log.exists() else 0

    def _not_stored(self, changes: Sequence[Changes]) -> Sequence[Changes]:
        """The changes from the first one that the file does not have."""
        if not changes or changes[0].step > self.last_step():
            return changes
        stored = dict(self.rows(cypher.DIGESTS, first=changes[0].step, last=changes[-1].step))
        same = takewhile(lambda change: stored.get(change.step) == digest_of(change), changes)
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
            with suppress(StoreError):  # the library has rolled back already if a query failed
                self.rows("ROLLBACK")
            raise


def _module(library: GraphLibrary) -> Any:
    try:
        match library:
            case GraphLibrary.KUZU:
                import kuzu

                return kuzu
            case GraphLibrary.LADYBUG:
                import ladybug

                return ladybug
            case _:
                assert_never(library)
    except ImportError as error:
        raise StoreError(_cannot_be_loaded(library, error)) from error


@contextmanager
def _translated_errors(path: Path | None = None) -> Iterator[None]:
    """Raise the library's errors as ours."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, OSError, OverflowError) as error:
        if path is not None and "Could not set lock" in str(error):
            raise FileLocked(path) from error
        raise StoreError(str(error)) from error
