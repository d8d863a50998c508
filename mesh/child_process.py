"""What a child process does first. Standard library only: children start with it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: the signal that a process gets when its parent ends."""


def die_with_parent(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel end this process when the parent's main thread ends (Linux only).

    `parent` is its process id, which the parent must tell: it may end before its child asks.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
    if os.getppid() != parent:
        sys.exit("The parent was gone before its child had started.")
