"""Writes log events (structlog), one line each, to standard error or to a file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import structlog

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


@contextmanager
def log_to_file(path: Path) -> Iterator[None]:
    """Append every event to a file, as JSON lines, for as long as the block lasts.

    Raises:
        HomeUnwritable: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a", buffering=1, encoding="utf-8")
    except OSError as error:
        raise HomeUnwritable(path.parent, error.strerror) from error
    with stream:
        log_to(stream)
        yield
        structlog.reset_defaults()
