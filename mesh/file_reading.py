"""Reads files that a user names: no more of them than they may hold, and for no longer than they may take."""

from __future__ import annotations

import errno
import os
import select
import time
from pathlib import Path

WITHIN = 5.0
"""Seconds that a pipe may take."""

SECRET_SIZE = 64 * 1024
"""The most bytes of a file that holds a password or a key."""


def read_limited(path: Path, most: int) -> bytes:
    """The content of a file or a pipe of at most so many bytes.

    Raises:
        OSError: it cannot be read; EFBIG: it holds more; ETIMEDOUT: it is a pipe that is not closed in time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:
        raise OSError(errno.EINVAL, "no file can have that name") from None
    try:
        return _read(descriptor, most, time.monotonic() + WITHIN)
    finally:
        os.close(descriptor)


def read_limited_text(path: Path, most: int) -> str:
    """The same as text.

    Raises:
        OSError: as in `read_limited`, or it is not UTF-8 (EILSEQ).
    """
    try:
        return read_limited(path, most).decode()
    except UnicodeDecodeError:
        raise OSError(errno.EILSEQ, "it is not a text file") from None


def _read(descriptor: int, most: int, deadline: float) -> bytes:
    content, waiting = bytearray(), select.poll()
    waiting.register(descriptor, select.POLLIN)
    while len(content) <= most:
        if not waiting.poll(1000 * max(0.0, deadline - time.monotonic())):
            raise TimeoutError(errno.ETIMEDOUT, f"it did not end within {WITHIN:g} s")
        try:
            chunk = os.read(descriptor, min(most + 1 - len(content), 1 << 20))
        except BlockingIOError:
            continue
        if not chunk:
            return bytes(content)
        content += chunk
    raise OSError(errno.EFBIG, f"it holds more than {most:,} bytes")
