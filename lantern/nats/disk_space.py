"""The disk of the embedded server: a session is stopped while the record can still take its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mesh.errors import FailureError
from mesh.settings import MeshSettings

RESERVE = 4 << 20
"""Bytes that are kept free: a step takes about 8 KB, and the server needs room for its own files."""

LOOK = 0.25
"""Seconds between two looks at the disk."""

GRACE = 3.0
"""Seconds within which a command must end once its disk is full."""

AGAIN = "run the command again"


class DiskFull(FailureError):
    """The disk that keeps the sessions is full."""

    def __init__(self, home: Path, again: str = AGAIN) -> None:
        super().__init__(
            f"The disk that keeps {home} is full: {_free_bytes(home) / (1 << 20):.1f} MB are left, "
            f"{RESERVE >> 20} MB are needed. What was recorded is kept. Free space there, then {again}."
        )


def is_full(home: Path) -> bool:
    """Whether less than the reserve is left on the disk of a directory, or on that of its parents."""
    return _free_bytes(home) < RESERVE


def check_space(settings: MeshSettings, again: str = AGAIN) -> None:
    """Raises DiskFull if the embedded server cannot record anything."""
    if settings.server() is None and is_full(settings.home):
        raise DiskFull(settings.home, again)


@asynccontextmanager
async def explain_full_disk(home: Path, again: str = AGAIN) -> AsyncIterator[None]:
    """If the block fails on a full disk, say that the disk is full.

    Raises:
        DiskFull: in place of the failure.
    """
    try:
        yield
    except (FailureError, OSError, BaseExceptionGroup) as error:
        if _says_so(error) or not is_full(home):
            raise
        raise DiskFull(home, again) from error


@asynccontextmanager
async def stop_on_full_disk(
    settings: MeshSettings, stopping: asyncio.Event, again: str = AGAIN
) -> AsyncIterator[None]:
    """Set `stopping` when the embedded server's disk is nearly full; the block must then end within `GRACE`.

    Raises:
        DiskFull: the disk was full at the beginning or later, whether the block ended in time or was cut.
    """
    if settings.server() is not None:  # its disk is not ours to watch
        yield
        return
    home = settings.home
    check_space(settings, again)
    try:
        async with explain_full_disk(home, again), asyncio.timeout(None) as limit:
            looking = asyncio.create_task(_stop_when_full(home, stopping, limit))
            try:
                yield
            finally:
                looking.cancel()
    except TimeoutError as error:
        raise (DiskFull(home, again) if limit.expired() else error) from error
    if limit.when() is not None:
        raise DiskFull(home, again)


async def _stop_when_full(home: Path, stopping: asyncio.Event, limit: asyncio.Timeout) -> None:
    while not is_full(home):  # noqa: ASYNC110 (nothing tells of a disk)
        await asyncio.sleep(LOOK)
    limit.reschedule(asyncio.get_running_loop().time() + GRACE)
    stopping.set()


def _says_so(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(DiskFull) is not None
    return isinstance(error, DiskFull)


def _free_bytes(directory: Path) -> int:
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize
