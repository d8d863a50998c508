"""Acknowledges handled messages in groups, with one write for each group."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime

from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from mesh.nats.cell import Cell

EVERY = 0.03
"""Seconds between two groups of acknowledgements."""

REMEMBERED = 1024
"""The number of handled messages that are remembered; copies of them are not handled again."""


class Acknowledgements:
    """The acknowledgements of one instance. A crash loses unsent ones: then messages repeat, harmlessly."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._due: list[Msg] = []
        self._some_due = asyncio.Event()
        self._handled: dict[tuple[int, datetime], None] = {}

    def add(self, message: Msg) -> None:
        """Queue the acknowledgement of a message that has been handled."""
        self._handled[_identity(message)] = None
        if len(self._handled) > REMEMBERED:
            del self._handled[next(iter(self._handled))]
        self._due.append(message)
        self._some_due.set()

    def is_copy(self, message: Msg) -> bool:
        """Whether it was handled before (the server delivered it again while the event loop was stuck)."""
        return _identity(message) in self._handled

    def abandon(self) -> None:
        """Forget all messages: the stream that they came from is gone."""
        self._due.clear()
        self._handled.clear()

    async def send_in_groups(self) -> None:
        """Send queued acknowledgements every `EVERY` seconds."""
        while True:
            await self._some_due.wait()
            await asyncio.sleep(EVERY)
            await self.send()

    async def send(self) -> None:
        """Send the queued acknowledgements."""
        self._some_due.clear()
        due, self._due = self._due, []
        for message in due:
            if not message.is_acked:
                await message.ack()

    async def send_at_once(self) -> None:
        """Send the queued acknowledgements, and wait until the server has them (if it is connected)."""
        await self.send()
        if self._cell.is_connected:
            with suppress(NatsError, OSError):
                await self._cell.nc.flush(1)


def _identity(message: Msg) -> tuple[int, datetime]:
    """A message's sequence number and time: a stream that is created again reuses sequence numbers."""
    return message.metadata.sequence.stream, message.metadata.timestamp


def sequence_of(message: Msg) -> int:
    """The message's sequence number in the stream."""
    sequence: int = message.metadata.sequence.stream
    return sequence
