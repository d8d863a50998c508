"""A lock on a graph's file against all other processes, held while a file is brought up to date and read."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

PATIENCE = 30.0
"""Seconds to wait for another process that uses the file; it does so for a fraction of a second."""

LOOK = 0.05
"""Seconds between two looks whether the file is free."""


class FileBusy(Exception):
    """The file cannot be locked; the text says why, after the file's name."""


@asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """No other process, and nobody else in this one, uses the file in the block. Raises FileBusy."""
    try:
        lock = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise FileBusy(f"cannot be used ({error.strerror})") from error
    try:
        await _taken(lock)
        yield
    finally:
        os.close(lock)


async def _taken(lock: int) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not _is_free(lock):  # noqa: ASYNC110  (no event tells what other processes do)
                await asyncio.sleep(LOOK)
    except TimeoutError as error:
        raise FileBusy("is in use by another process") from error


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
