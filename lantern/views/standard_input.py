"""Lines from standard input, without keeping the event loop (or Ctrl-C) waiting."""

from __future__ import annotations

import asyncio
import os
import sys
import threading


class StandardInput:
    """Asks for one line after the other; the prompt is shown on a terminal only."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] | None = None

    async def ask(self, prompt: str) -> str | None:
        """The next line; None: there are no more."""
        if sys.stdin is None or sys.stdin.closed:
            return None
        print(prompt if sys.stdin.isatty() else "", end="", flush=True)
        if self._lines is None:
            self._lines = asyncio.Queue()
            reader = threading.Thread(
                target=_read, args=(sys.stdin.fileno(), asyncio.get_running_loop(), self._lines), daemon=True
            )
            reader.start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line


def _read(file: int, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
    """A thread of its own, since any kind of file may be there; the process does not wait for it."""
    rest = b""
    while data := _some(file):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            if not _hand_over(loop, lines, line.decode(errors="replace")):
                return
    if rest:
        _hand_over(loop, lines, rest.decode(errors="replace"))
    _hand_over(loop, lines, None)


def _some(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:
        return b""


def _hand_over(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None], line: str | None) -> bool:
    try:
        loop.call_soon_threadsafe(lines.put_nowait, line)
    except RuntimeError:  # the loop is closed: nobody asks any more
        return False
    return True
