"""Single keys from a terminal, without waiting for Enter."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

NAMES = {
    **{"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "tab"},
    **{"5~": "page up", "6~": "page down", "1~": "home", "4~": "end", "7~": "home", "8~": "end"},
}
"""The end of a terminal's escape sequence, and the key that sends it."""

CHARACTERS = {" ": "space", "\t": "tab"}

_KEY = re.compile(r"\x1b(?:\[|O)[0-9;]*[A-Za-z~]|[^\x1b]")


def keys_in(typed: str) -> list[str]:
    """The keys that were typed: characters, or names such as `up` and `space`; others are left out."""
    keys = []
    for key in _KEY.findall(typed):
        if key.startswith("\x1b"):
            name = NAMES.get(re.sub(r"^([0-9];[0-9]+)?(?=[A-Za-z])", "", key[2:]))
            keys += [name] if name else []
        else:
            keys.append(CHARACTERS.get(key, key))
    return keys


@contextmanager
def keyboard(on_key: Callable[[str], None], on_hangup: Callable[[], None]) -> Iterator[None]:
    """Within the block, hand over each key that is typed; without a terminal to type on, do nothing.

    `on_hangup`: the terminal is gone.
    """
    if not may_be_read(sys.stdin):
        yield
        return
    terminal, loop = sys.stdin.fileno(), asyncio.get_running_loop()

    def read() -> None:
        try:
            typed = os.read(terminal, 1024).decode(errors="replace")
        except OSError:
            typed = ""
        if not typed:
            loop.remove_reader(terminal)
            on_hangup()
        for key in keys_in(typed):
            on_key(key)

    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def may_be_read(source: TextIO | None) -> bool:
    """Whether it is a terminal, and this process is not in its background (where reading would stop it)."""
    if source is None or source.closed or not source.isatty():
        return False
    try:
        return os.tcgetpgrp(source.fileno()) == os.getpgrp()
    except OSError:  # it does not control this process
        return True
