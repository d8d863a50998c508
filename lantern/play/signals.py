"""Ctrl-C and SIGTERM as an event, so that what is under way can be finished."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM)

T = TypeVar("T")


class StopOnSignal:
    """The first signal sets the event; a second one ends the program at once."""

    def __enter__(self) -> asyncio.Event:
        self._event, self._loop = asyncio.Event(), asyncio.get_running_loop()
        for number in SIGNALS:
            self._loop.add_signal_handler(number, self._once)
        return self._event

    def __exit__(self, *_: object) -> None:
        for number in SIGNALS:
            self._loop.remove_signal_handler(number)

    def _once(self) -> None:
        self.__exit__()
        self._event.set()


async def open_until(stopping: asyncio.Event, opening: AbstractAsyncContextManager[T]) -> T | None:
    """Keep something open until told to stop; None: that was told before it was open.

    (What opens may wait for a server that is away, without end.)
    """
    opened: list[T] = []

    async def hold() -> None:
        async with opening as it:
            opened.append(it)
            await stopping.wait()

    holding, told = asyncio.ensure_future(hold()), asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait((holding, told), return_when=asyncio.FIRST_COMPLETED)
        if not opened:
            holding.cancel()
        await asyncio.wait((holding,))
    finally:
        told.cancel()
        holding.cancel()
    if not holding.cancelled():
        holding.result()
    return opened[0] if opened else None
