"""Single keys from a terminal, without waiting for Enter."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_key(key: str, stopping: asyncio.Event) -> Iterator[None]:
    """Within the block, set the event when the key is typed; without a terminal to type on, do nothing."""
    if not sys.stdin.isatty():
        yield
        return
    terminal, loop = sys.stdin.fileno(), asyncio.get_running_loop()

    def read() -> None:
        typed = os.read(terminal, 64).decode(errors="replace")
        if not typed:  # the terminal is gone
            loop.remove_reader(terminal)
        if not typed or key in typed:
            stopping.set()

    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
