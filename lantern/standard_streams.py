"""Standard input and output, where a reader may go away, a disk may be full, or nothing may be open."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO

from typing_extensions import Buffer

from mesh.errors import FailureError

OUTPUT_CLOSED = 141
"""The exit code if nobody reads the output any more: what a shell shows for a program ended by SIGPIPE."""

READER_GONE = (errno.EPIPE, errno.EIO, errno.ECONNRESET)


class OutputFailed(FailureError):
    """Standard output cannot be written."""

    def __init__(self, why: str | None) -> None:
        super().__init__(f"The output cannot be written ({why}). Send it elsewhere.")


class OutputClosed(OutputFailed):
    """Nobody reads standard output any more (`lantern ... | head`)."""


class OutputFile(io.FileIO):
    """Standard output or standard error. After the first error all further output is thrown away.

    So the command can finish its work, and nothing is left that Python would flush, and fail, at its exit.
    """

    def __init__(self, descriptor: int, *, raises: bool) -> None:
        """`raises`: whether the first error is raised."""
        super().__init__(descriptor, "w", closefd=False)
        self.raises, self.failed = raises, False

    def write(self, data: Buffer, /) -> int:
        """Write, or throw away.

        Raises:
            OutputFailed: it cannot be written, for the first time; OutputClosed: the reader has gone away.
        """
        if self.failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self.failed = True
            if not self.raises:
                return memoryview(data).nbytes
            kind = OutputClosed if error.errno in READER_GONE else OutputFailed
            raise kind(error.strerror) from None


def guard_standard_streams() -> None:
    """Put an `OutputFile` below standard output and standard error; open what the caller has closed."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = _guarded(sys.stdout, 1, raises=True)
    sys.stderr = _guarded(sys.stderr, 2, raises=False)


def _guarded(stream: TextIO | None, descriptor: int, *, raises: bool) -> TextIO:
    """The stream with the same encoding; it marks what that encoding does not have."""
    raw = OutputFile(descriptor, raises=raises)
    errors = "backslashreplace" if not raises else "replace"
    if stream is not None and stream.errors == "surrogateescape":
        errors = stream.errors
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding if stream is not None else "utf-8",
        errors=errors,
        line_buffering=not raises or raw.isatty(),
    )
