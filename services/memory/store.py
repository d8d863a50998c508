"""One graph file on Kuzu or Ladybug. No other module uses these libraries. All calls block."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, assert_never

from services.memory.graph.graph_files import GraphLibrary, QueryResult

CHECKPOINT_BYTES = 1 << 20
"""The size of the write-ahead log at which a checkpoint moves it into the file. Until then the writes stay in
the buffer, up to 25 KB a step: without checkpoints, 2,000 steps written one by one fill 64 MB."""

LARGEST_FILE_BYTES = 1 << 34
"""Address space reserved for each file; with the libraries' default, 8 TB, fifteen files fit."""

QUERY_MILLISECONDS = 30_000

NO_CHECKPOINT_ON_CLOSE = "CALL force_checkpoint_on_close=false"
"""Opening a file replays its write-ahead log: that costs less than a checkpoint at each close."""

VERSION_TABLE = "CREATE NODE TABLE SchemaVersion(version INT64 PRIMARY KEY)"
WRITE_VERSION = "CREATE (:SchemaVersion {version: $version})"
READ_VERSION = "MATCH (v:SchemaVersion) RETURN v.version"

Row = Mapping[str, object]


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
    """An open file, whose tables a subclass names. A transaction is rolled back if anything in it fails.

    Every method raises `StoreError`; the constructor `FileLocked` too.
    """

    tables: ClassVar[tuple[str, ...]]
    """What creates them."""
    version: ClassVar[int]
    """Of the tables: a file with another one is built anew."""
    read_all: ClassVar[tuple[str, ...]]
    """Queries that read everything, so that opening a truncated file fails."""

    read_only: ClassVar[bool] = False
    """Whether the library refuses to change anything."""

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
                read_only=self.read_only,
            )
            self._connection = self._library.Connection(self._database, num_threads=1)
            self._connection.set_query_timeout(QUERY_MILLISECONDS)
            self.rows(NO_CHECKPOINT_ON_CLOSE)

    def create_schema(self) -> None:
        """Create the tables in an empty file."""
        for statement in (*self.tables, VERSION_TABLE):
            self.rows(statement)
        self.rows(WRITE_VERSION, version=self.version)

    def check(self) -> None:
        """Raise an error if the file has another schema or cannot be read."""
        self.check_version()
        for query in self.read_all:
            self.rows(query)

    def check_version(self) -> None:
        """Raise an error if the file has another schema."""
        found = self.rows(READ_VERSION)
        if found != [[self.version]]:
            raise StoreError(f"its schema is {found}, not {self.version}")

    def rows(self, query: str, **parameters: object) -> list[list[Any]]:
        """The rows of a query. It is prepared once: each `execute` of a text leaks memory (kuzu 0.11.3)."""
        with _translated_errors():
            if query not in self._statements:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self._statements[query] = self._connection.prepare(query, parameters)
            with self._connection.execute(self._statements[query], parameters) as result:
                return [list(row) for row in result.get_all()]

    def table(self, query: str, most: int, **parameters: object) -> QueryResult:
        """The answer to a query: the names of its columns, and its first rows as plain values."""
        with _translated_errors(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            statement = self._connection.prepare(query, parameters)
            with self._connection.execute(statement, parameters) as result:
                rows = [list(map(_plain, row)) for row in islice(result, most)]
                return QueryResult(tuple(result.get_column_names()), rows, result.has_next())

    def close(self) -> None:
        """Close the file; what was written is in it or in its log, even if this fails."""
        self._statements.clear()
        with suppress(StoreError), _translated_errors():
            self._connection.close()
            self._database.close()

    def checkpoint(self) -> None:
        """Move the log into the file. If that fails, the log keeps everything, and grows.

        Deletions need a checkpoint at once: a log that contains some cannot be replayed (kuzu 0.11.3).
        """
        with suppress(StoreError):
            self.rows("CHECKPOINT")

    def log_is_long(self) -> bool:
        """Whether the write-ahead log should be moved into the file."""
        return self._log.exists() and self._log.stat().st_size >= CHECKPOINT_BYTES

    def add(self, query: str, rows: Sequence[Row]) -> None:
        """Run a query that adds rows, if there are any."""
        if rows:
            self.rows(query, rows=rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written in the block or, on an error, none of it."""
        self.rows("BEGIN TRANSACTION")
        try:
            yield
            self.rows("COMMIT")
        except StoreError:
            with suppress(StoreError):  # the library has rolled back already if a query failed
                self.rows("ROLLBACK")
            raise


def _plain(value: Any) -> Any:
    """A value of the library without its internal ids."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if name not in ("_id", "_src", "_dst")}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


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
