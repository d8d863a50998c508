"""The graph files that a process uses, through a store in a process of its own."""

from __future__ import annotations

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from services.memory.graph.graph_files import GraphError, OpenedFile
from services.memory.graph.store_process import ProcessEnded, StoreProcess
from services.memory.settings import MemorySettings, memory_settings
from services.memory.store import Store, StoreError

ROOM = 32 << 20
"""Bytes that a write leaves free on the disk: a checkpoint takes up to 22 MB, and the record needs room."""

WRITING = ("add_session", "learn")


class StorePool:
    """Passes calls to the store's process, one after another. It runs while any file is open.

    If that process ends, every file of the pool is closed: whoever uses one gets a GraphError.
    """

    def __init__(self, settings: MemorySettings | None = None) -> None:
        self.settings = settings or memory_settings()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memory-store")
        self._process: StoreProcess | None = None
        self._open: set[Path] = set()

    async def open(self, path: Path, kind: type[Store]) -> OpenedFile:
        """Open a graph's file, or the first one beside it that no other process uses.

        Raises:
            GraphError: no file can be used.
        """
        opened: OpenedFile = await self._in_thread(path, self._open_file, kind)
        return opened

    async def use(self, path: Path, method: str, *arguments: object, **keywords: object) -> Any:
        """Call a method of the `Store` of an open file, after all earlier calls. Raises GraphError."""
        return await self._in_thread(path, self._use_file, method, arguments, keywords)

    async def close(self, path: Path) -> None:
        """Close and release a file. A file beside the first one is deleted: nobody would look for it."""
        await self._in_thread(path, self._close_file)

    def _open_file(self, path: Path, kind: type[Store]) -> OpenedFile:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_room(path)
        try:
            opened: OpenedFile = self._ask("open", path, kind)
            self._open.add(opened.path)
            return opened
        finally:
            self._end_if_unused()

    def _use_file(self, path: Path, method: str, *arguments: object) -> Any:
        if method in WRITING:
            _check_room(path)
        return self._ask("use", path, method, *arguments)

    def _close_file(self, path: Path) -> None:
        if path not in self._open:
            return
        try:
            self._ask("close", path)
        finally:
            self._open.discard(path)
            self._end_if_unused()

    def _ask(self, method: str, path: Path, *arguments: object) -> Any:
        self._process = self._process or StoreProcess(self.settings)
        try:
            return self._process.ask(method, path, *arguments)
        except ProcessEnded:
            self._open.clear()
            self._end_if_unused()
            raise

    def _end_if_unused(self) -> None:
        if not self._open and self._process is not None:
            self._process.end()
            self._process = None

    async def _in_thread(self, path: Path, call: Any, *arguments: object) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call, path, *arguments)
        except (StoreError, OSError) as error:
            raise GraphError(str(path), str(error)) from error


def _check_room(path: Path) -> None:
    """Raises StoreError if the disk is nearly full."""
    if (free := shutil.disk_usage(path.parent).free) < ROOM:
        raise StoreError(f"its disk is full ({free >> 20} MB are left, {ROOM >> 20} MB are needed)")
