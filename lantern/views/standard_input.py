"""Lines from standard input, without keeping the event loop (or Ctrl-C) waiting."""

from __future__ import annotations

import asyncio
import os
import readline
import sys
import termios
import threading
from contextlib import suppress
from pathlib import Path

HISTORY = 1000
"""Lines that are kept in the file of the history."""


class StandardInput:
    """Asks for one line after the other; the prompt is shown on a terminal only.

    On a terminal a line can be edited, and earlier ones come back; `history`: the file that keeps them.
    """

    def __init__(self, history: Path | None = None) -> None:
        self.history = history
        self._lines: asyncio.Queue[str | None] | None = None

    async def ask(self, prompt: str) -> str | None:
        """The next line; None: there are no more."""
        if sys.stdin is None or sys.stdin.closed:
            return None
        if sys.stdin.isatty() and sys.stdout.isatty():
            return await self._edited(prompt)
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

    async def _edited(self, prompt: str) -> str | None:
        """A line from the terminal. A thread waits for it, so that the event loop and Ctrl-C do not."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            _open_history(self.history)
        before = termios.tcgetattr(sys.stdin)
        arguments = (prompt, asyncio.get_running_loop(), self._lines)
        threading.Thread(target=_edit, args=arguments, daemon=True).start()
        try:
            line = await self._lines.get()
        finally:  # after Ctrl-C the thread still edits, until the process ends
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        if self.history is not None and line:
            _keep_history(self.history)
        return line


def _open_history(file: Path | None) -> None:
    readline.set_history_length(HISTORY)
    if file is not None:
        with suppress(OSError):  # there is none yet
            readline.read_history_file(file)


def _keep_history(file: Path) -> None:
    with suppress(OSError):  # the history is a comfort
        file.parent.mkdir(parents=True, exist_ok=True)
        readline.write_history_file(file)


def _edit(prompt: str, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
    try:
        _hand_over(loop, lines, input(prompt))
    except (EOFError, OSError):
        _hand_over(loop, lines, None)


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
