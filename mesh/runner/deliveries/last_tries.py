"""Notes in files which messages a service handles for the last time: one that is left tells what ended it.

The number of deliveries does not tell: it also counts those at which the message only waited in hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog
from nats.aio.msg import Msg

log = structlog.get_logger()


class LastTries:
    """The files of all lives of a service on this machine, one for each message."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def did_not_end(self, message: Msg) -> bool:
        """Whether an earlier life of the service began to handle the message for the last time and ended."""
        return self._path(message).exists()

    @contextmanager
    def noted(self, message: Msg) -> Iterator[None]:
        """The message is handled for the last time, as long as the block lasts."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path(message).touch()
        except OSError as error:
            log.warning("last_try_not_noted", subject=message.subject, error=str(error))
        try:
            yield
        except (Exception, asyncio.CancelledError):  # not one that ends the service
            self.forget(message)
            raise
        self.forget(message)

    def forget(self, message: Msg) -> None:
        """The message is handled, given up, or returned to the server."""
        with suppress(OSError):
            self._path(message).unlink(missing_ok=True)

    def _path(self, message: Msg) -> Path:
        """A file named after the number and the time: a stream that is created again reuses numbers."""
        place = message.metadata
        return self._directory / f"{place.sequence.stream}-{place.timestamp:%Y%m%d%H%M%S%f}"
