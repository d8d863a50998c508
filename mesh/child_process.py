"""Ends a child process with its parent. Imports only the standard library, so that a child starts fast.

As a program (`child_process.py PARENT COMMAND...`) it becomes a command that ends with its parent.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: the signal that a process gets when its parent ends."""


def die_with_parent(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel end this process when the parent's main thread ends (Linux only).

    `parent` is the parent's process id. The parent passes it, because it may end before the child could ask.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
    if os.getppid() != parent:
        sys.exit("The parent process ended before this child had started.")


def child_environment(prefix: str | None = None) -> dict[str, str]:
    """What a child needs to find these packages, and the settings that begin with `prefix`; no keys."""
    needed = ("PATH", "VIRTUAL_ENV", "TMPDIR", "LANG")
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in needed or (prefix is not None and name.startswith(prefix))
    }
    folders = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return passed | {"PYTHONPATH": os.pathsep.join(folders), "PYTHONHASHSEED": "0"}


def send_signal(process: int, number: signal.Signals) -> None:
    """Send a signal to a child of asyncio's; nothing happens if it has ended.

    asyncio's own `Process.kill` looks first whether the process has ended, which takes the exit code away
    from asyncio's watcher ("Unknown child process pid").
    """
    with suppress(ProcessLookupError):
        os.kill(process, number)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.exit(f"{sys.argv[2]} cannot be started: {error.strerror}")
