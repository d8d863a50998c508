"""Ends a child process with its parent. Imports only the standard library, so that a child starts fast."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

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
