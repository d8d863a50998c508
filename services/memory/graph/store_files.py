"""The open graph files of the store's process: few at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from services.memory.graph.graph_files import FileStatus, GraphLibrary, OpenedFile
from services.memory.store import FileLocked, Store, StoreError

MAX_FILES = 4
"""Files of one session, at most: the first, and others beside it while another process uses the first."""


class StoreFiles:
    """Opens graph files, and closes the databases of those that were used least recently.

    An open database takes about 45 MB even if it is empty, so that fifty sessions cannot keep theirs open.
    Every method raises `StoreError`, `FileLocked` or OSError.
    """

    def __init__(self, library: GraphLibrary, buffer_bytes: int, most_open: int) -> None:
        self._library, self._buffer_bytes, self._most_open = library, buffer_bytes, most_open
        self._files: dict[Path, StoreFile] = {}
        self._open: OrderedDict[Path, Store] = OrderedDict()

    def open(self, path: Path, kind: type[Store]) -> OpenedFile:
        """Open a graph's file, or the first one beside it that no other graph uses."""
        path.parent.mkdir(parents=True, exist_ok=True)
        file = self._claim_file(path, kind)
        self._files[file.path] = file
        return file.opened

    def use(self, path: Path, method: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> object:
        """Call a method of the `Store` of an open file."""
        if path not in self._files:
            raise StoreError("it is not open: the store's process has ended")
        return getattr(self._store(self._files[path]), method)(*arguments, **keywords)

    def close(self, path: Path) -> None:
        """Close and release a file. A file beside the first one is deleted: nobody would look for it."""
        if (file := self._files.pop(path, None)) is not None:
            self._release(file)

    def close_all(self) -> None:
        """Close and release all files."""
        for path in list(self._files):
            self.close(path)

    def _claim_file(self, path: Path, kind: type[Store]) -> StoreFile:
        for copy in range(1, MAX_FILES + 1):
            candidate = path if copy == 1 else path.with_name(f"{path.stem}.{copy}{path.suffix}")
            reason = "" if copy == 1 else f"{path} is in use by another process, or by this one"
            file = StoreFile(candidate, kind, reason, beside=copy > 1)
            with ExitStack() as failing:
                failing.callback(file.release)
                try:
                    file.claim()
                    file.opened = self._open_or_create(file)
                except FileLocked:
                    continue
                failing.pop_all()
            return file
        raise StoreError(f"other processes use it, and the {MAX_FILES - 1} files beside it")

    def _open_or_create(self, file: StoreFile) -> OpenedFile:
        """Open or create a file. A file that cannot be read is renamed (`.broken`) and created anew."""
        if not file.path.exists():
            delete(companion_files(file.path))
            self._open_store(file, Store.create_schema)
            return OpenedFile(file.path, FileStatus.CREATED, file.reason)
        try:
            self._open_store(file, Store.check)
        except StoreError as error:
            _move_aside(file.path)
            self._open_store(file, Store.create_schema)
            return OpenedFile(file.path, FileStatus.REBUILT, str(error))
        return OpenedFile(file.path, FileStatus.RESUMED, file.reason)

    def _store(self, file: StoreFile) -> Store:
        if file.is_replaced():
            self._close_store(file.path)
            raise StoreError("the file was deleted or replaced")
        if file.path not in self._open:
            try:
                self._open_store(file, Store.check_version)
            except FileLocked as error:
                raise StoreError("another process has taken the file") from error
        self._open.move_to_end(file.path)
        return self._open[file.path]

    def _open_store(self, file: StoreFile, prepare: Callable[[Store], object]) -> None:
        while len(self._open) >= self._most_open:
            self._close_store(next(iter(self._open)))
        store = file.kind(file.path, self._library, self._buffer_bytes)
        try:
            prepare(store)
            file.remember_inode()
        except (StoreError, OSError):
            store.close()
            raise
        self._open[file.path] = store

    def _release(self, file: StoreFile) -> None:
        self._close_store(file.path)
        if file.beside:
            delete((file.path, *companion_files(file.path), _lock_path(file.path)))
        file.release()

    def _close_store(self, path: Path) -> None:
        if (store := self._open.pop(path, None)) is not None:
            store.close()


class StoreFile:
    """A file that is locked for one graph, against all other processes."""

    def __init__(self, path: Path, kind: type[Store], reason: str, *, beside: bool) -> None:
        self.path, self.kind, self.reason, self.beside = path, kind, reason, beside
        self.opened = OpenedFile(path, FileStatus.CREATED, reason)
        self._lock: int | None = None
        self._inode: int | None = None

    def claim(self) -> None:
        """Lock the file. Raises FileLocked."""
        self._lock = os.open(_lock_path(self.path), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FileLocked(self.path) from error

    def release(self) -> None:
        """Unlock the file; a second call does nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remember_inode(self) -> None:
        """Keep the file's inode, for `is_replaced`."""
        self._inode = self.path.stat().st_ino

    def is_replaced(self) -> bool:
        """Whether the file was deleted or replaced since it was opened."""
        try:
            return self.path.stat().st_ino != self._inode
        except FileNotFoundError:
            return True


def _move_aside(path: Path) -> None:
    """Keep a broken file for inspection; its write-ahead log is useless without it."""
    broken = broken_path(path)
    if broken.is_dir():
        shutil.rmtree(broken)
    path.replace(broken)
    delete(companion_files(path))


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def broken_path(path: Path) -> Path:
    """What a file that cannot be read is renamed to."""
    return path.with_name(f"{path.name}.broken")


def delete(paths: Iterable[Path]) -> None:
    """Delete files, of which some may not be there."""
    for path in paths:
        path.unlink(missing_ok=True)


def companion_files(path: Path) -> tuple[Path, ...]:
    """What the library may keep beside a file."""
    return tuple(
        path.with_name(path.name + suffix) for suffix in (".wal", ".shadow", ".tmp", ".wal.checkpoint")
    )
