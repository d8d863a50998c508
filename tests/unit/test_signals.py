"""Ctrl-C, pressed again and again."""

from __future__ import annotations

import subprocess
import sys

STOPPED_WITHIN_A_COROUTINE = """
import asyncio, os, signal
from lantern.play.signals import StopOnSignal

async def closing():
    pass

async def main():
    with StopOnSignal() as stopping:
        os.kill(os.getpid(), signal.SIGINT)
        await stopping.wait()
    left = closing()
    del left

asyncio.run(main())
"""


def test_what_a_further_signal_leaves_unawaited_is_not_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_WITHIN_A_COROUTINE], capture_output=True, text=True, check=True
    )

    assert done.stderr == ""
