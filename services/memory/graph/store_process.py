"""The process of the store, seen from its parent: start, ask, end. All calls block."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from typing import Any

from mesh.child_process import child_environment
from services.memory.settings import MemorySettings
from services.memory.store import StoreError

WORKER = "services.memory.graph.store_worker"

PATIENCE = 60.0
"""Seconds for an answer; one query may take 30."""

ENDS_WITHIN = 5.0
"""Seconds to close all files."""


class StoreProcess:
    """A running store. It ends with this object's `end`, and with the process that started it."""

    def __init__(self, settings: MemorySettings) -> None:
        self._connection, theirs = Pipe()
        configured = (settings.store.value, str(settings.buffer_megabytes << 20), str(settings.open_files))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", WORKER, str(os.getpid()), str(theirs.fileno()), *configured],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )

    def ask(self, method: str, *arguments: object) -> Any:
        """What a method of `StoreFiles` returned. Raises StoreError; ProcessEnded if the process is lost."""
        try:
            self._connection.send((method, *arguments))
            if not self._connection.poll(PATIENCE):
                raise ProcessEnded(f"it gave no answer within {PATIENCE:g} s")
            answer = self._connection.recv()
        except (EOFError, OSError) as error:
            status = self._process.wait()
            raise ProcessEnded(f"the process of its library ended (status {status})") from error
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def end(self) -> None:
        """Let it close its files, and wait until it is gone; a second call does nothing."""
        self._connection.close()
        try:
            self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ProcessEnded(StoreError):
    """The process is lost: it ended, or it hangs."""
