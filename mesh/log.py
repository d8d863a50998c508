"""Writes log events (structlog), one line each, to standard error or to a file."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import structlog
from typing_extensions import Buffer

from mesh.errors import HomeUnwritable
from mesh.printable import one_line, printable


def log_to(stream: TextIO, *, json: bool = True, level: int = logging.INFO) -> None:
    """Send every event to a stream, as JSON lines or for people."""
    shape: tuple[structlog.types.Processor, ...] = (
        (structlog.processors.JSONRenderer(),)
        if json
        else (_without_control, structlog.dev.ConsoleRenderer(colors=False))
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *shape,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )


def _without_control(
    _logger: object, _name: str, event: structlog.types.EventDict
) -> structlog.types.EventDict:
    """For people: remove control characters from the values, and line breaks that could imitate log lines."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = printable(value) if key == "exception" else one_line(value)
    return event


class LogFile(io.FileIO):
    """A file that drops what a full disk does not take: no game ends for want of a line in the log."""

    def write(self, data: Buffer, /) -> int:
        """Write, or drop."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


@contextmanager
def log_to_file(path: Path) -> Iterator[None]:
    """Append every event to a file, as JSON lines, for as long as the block lasts.

    What cannot be written later on (the disk is full) is missing in the file.

    Raises:
        HomeUnwritable: the file cannot be opened.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        buffered = io.BufferedWriter(LogFile(path, "a"))
        stream = io.TextIOWrapper(buffered, encoding="utf-8", line_buffering=True)
    except OSError as error:
        raise HomeUnwritable(path.parent, error.strerror) from error
    with stream:
        log_to(stream)
        yield
        structlog.reset_defaults()
