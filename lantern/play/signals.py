"""Ctrl-C, SIGTERM and a closed terminal (SIGHUP) as an event, so that what is under way can be finished."""

from __future__ import annotations

import asyncio
import signal
import time
import warnings
from contextlib import AbstractAsyncContextManager
from types import FrameType
from typing import TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

GRACE = 2.0
"""Seconds that a program which ends at once has for giving the terminal back; a later signal kills it."""

T = TypeVar("T")


class StopOnSignal:
    """The first signal sets the event; a second one ends the program at once (KeyboardInterrupt).

    SIGHUP stays ignored where the caller ignores it (`nohup`).
    """

    def __enter__(self) -> asyncio.Event:
        self._event, self._loop = asyncio.Event(), asyncio.get_running_loop()
        outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        self._signals = [each for each in SIGNALS if not (outlives and each is signal.SIGHUP)]
        for number in self._signals:
            self._loop.add_signal_handler(number, self._once)
        return self._event

    def __exit__(self, *_: object) -> None:
        for number in self._signals:
            self._loop.remove_signal_handler(number)

    def _once(self) -> None:
        self._event.set()
        # A further signal may come between a coroutine and its `await`, which Python would tell the user.
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        for number in self._signals:
            self._loop.add_signal_handler(number, self._interrupt)

    def _interrupt(self) -> None:
        """In no task, so that every task is cancelled, and what holds the terminal gives it back."""
        self.__exit__()
        killed_from = time.monotonic() + GRACE

        def again(number: int, _: FrameType | None) -> None:
            if time.monotonic() > killed_from:
                signal.signal(number, signal.SIG_DFL)
                signal.raise_signal(number)

        for number in self._signals:
            signal.signal(number, again)
        raise KeyboardInterrupt


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
