"""The graph files that a process has open: few at a time, in one thread of their own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from services.memory.history.graph import GraphError, Opening, Outcome
from services.memory.settings import MemorySettings, settings_found
from services.memory.store import HeldElsewhere, Store, StoreError

COPIES = 4
"""Files that one session may have: the first, and others beside it while that is held."""

_T = TypeVar("_T")


class StorePool:
    """Opens and closes graph files, the least used first, for all the graphs of a process.

    An open file takes about 45 MB however little it holds, so that fifty sessions can not have theirs open.
    """

    def __init__(self, settings: MemorySettings | None = None) -> None:
        self.settings = settings or settings_found()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memory-store")
        self._open: OrderedDict[Path, Store] = OrderedDict()

    async def place(self, path: Path) -> StoreFile:
        """A session's file, or the first one beside it that nobody holds; it is readable when this returns.

        Raises:
            GraphError: no file can be used.
        """
        return await self._in_thread(path, partial(self._placed, path))

    async def with_store(self, place: StoreFile, use: Callable[[Store], _T]) -> _T:
        """Do something with a file, after what was asked for before. Raises GraphError."""
        return await self._in_thread(place.path, lambda: use(self._store(place)))

    async def close(self, place: StoreFile) -> None:
        """Let go of a file. One beside another's is deleted: nobody would look for it."""
        await self._in_thread(place.path, partial(self._put_away, place))

    def _placed(self, path: Path) -> StoreFile:
        path.parent.mkdir(parents=True, exist_ok=True)
        for copy in range(1, COPIES + 1):
            candidate = path if copy == 1 else path.with_name(f"{path.stem}.{copy}{path.suffix}")
            reason = "" if copy == 1 else f"{path} is held by another process, or once more by this one"
            place = StoreFile(candidate, reason, beside=copy > 1)
            try:
                place.claim()
                place.opening = self._begun(place)
            except HeldElsewhere:
                place.release()
                continue
            except BaseException:
                place.release()
                raise
            return place
        raise StoreError(f"it is held elsewhere, and so are the {COPIES - 1} files beside it")

    def _begun(self, place: StoreFile) -> Opening:
        """Open a file, or begin it; one that can not be read is moved aside (`.broken`) and begun anew."""
        if not place.path.exists():
            _delete(_companions(place.path))
            self._shelve(place, Store.create_schema)
            return Opening(place.path, Outcome.CREATED, place.reason)
        try:
            self._shelve(place, Store.check)
        except StoreError as error:
            _move_aside(place.path)
            self._shelve(place, Store.create_schema)
            return Opening(place.path, Outcome.REBUILT, str(error))
        return Opening(place.path, Outcome.RESUMED, place.reason)

    def _store(self, place: StoreFile) -> Store:
        if place.gone():
            self._take_down(place.path)
            raise StoreError("the file was deleted or replaced")
        if place.path not in self._open:
            try:
                self._shelve(place, Store.last_step)
            except HeldElsewhere as error:
                raise StoreError("another process has taken the file") from error
        self._open.move_to_end(place.path)
        return self._open[place.path]

    def _shelve(self, place: StoreFile, prepare: Callable[[Store], object]) -> None:
        while len(self._open) >= self.settings.open_files:
            self._take_down(next(iter(self._open)))
        store = Store(place.path, self.settings.store, self.settings.buffer_megabytes << 20)
        try:
            prepare(store)
            place.remember()
        except (StoreError, OSError):
            store.close()
            raise
        self._open[place.path] = store

    def _put_away(self, place: StoreFile) -> None:
        self._take_down(place.path)
        if place.beside:
            _delete((place.path, *_companions(place.path), _lock_of(place.path)))
        place.release()

    def _take_down(self, path: Path) -> None:
        if (store := self._open.pop(path, None)) is not None:
            store.close()

    async def _in_thread(self, path: Path, call: Callable[[], _T]) -> _T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except (StoreError, HeldElsewhere, OSError) as error:
            raise GraphError(str(path), str(error)) from error


class StoreFile:
    """A file that is one graph's own for as long as that is open, in whatever process."""

    def __init__(self, path: Path, reason: str, *, beside: bool) -> None:
        self.path, self.reason, self.beside = path, reason, beside
        self.opening = Opening(path, Outcome.CREATED, reason)
        self._lock: int | None = None
        self._inode: int | None = None

    def claim(self) -> None:
        """Keep others out. Raises HeldElsewhere."""
        self._lock = os.open(_lock_of(self.path), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HeldElsewhere(self.path) from error

    def release(self) -> None:
        """Let others in; a second time does nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remember(self) -> None:
        """Note which file this is."""
        self._inode = self.path.stat().st_ino

    def gone(self) -> bool:
        """Whether the file is not the one that was opened."""
        try:
            return self.path.stat().st_ino != self._inode
        except FileNotFoundError:
            return True


def _move_aside(path: Path) -> None:
    """Keep a broken file for whoever wants to know; its log of writes belongs to nothing any more."""
    broken = path.with_name(f"{path.name}.broken")
    if broken.is_dir():
        shutil.rmtree(broken)
    path.replace(broken)
    _delete(_companions(path))


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _companions(path: Path) -> tuple[Path, ...]:
    return tuple(
        path.with_name(path.name + suffix) for suffix in (".wal", ".shadow", ".tmp", ".wal.checkpoint")
    )
