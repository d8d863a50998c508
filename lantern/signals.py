"""Ctrl-C and SIGTERM as an event, so that what is under way can be finished."""

from __future__ import annotations

import asyncio
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
