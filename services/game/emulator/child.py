"""A child process that runs one story, seen from its parent: start, load, ask, kill."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from mesh.child_process import child_environment
from services.game.emulator.pipes import Pipes
from services.game.emulator.protocol import Answer, Load, Loaded, Request, answer_in, encoded
from zmachine.story_file import StoryFile

FOLDER = "lantern-emulator-"
WORKER = "services.game.emulator.interpreter.worker"


class ChildDied(Exception):
    """The child ended while it was asked something."""


class ChildHung(Exception):
    """The child did not answer in time, and was killed."""


class Child:
    """A running child. After any exception from `ask` it is dead; `end` must be called in any case.

    Start it from the main thread: the kernel kills it when the thread that started it ends.
    """

    def __init__(self) -> None:
        """Start a process that waits for its story, in a folder of its own that it removes at once."""
        self._folder = Path(tempfile.mkdtemp(prefix=FOLDER))
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        self._process = subprocess.Popen(
            [sys.executable, "-m", WORKER, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            bufsize=0,
            cwd=self._folder,
            env=child_environment(),
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._pipes = Pipes(self._process.stdin, self._process.stdout)
        self._ended = False

    async def load(self, story: StoryFile, seed: int, patience: float) -> Loaded:
        """Have the child load a story; the first request, and once. Raises as `ask` does."""
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{story.md5}{story.suffix}"
            path.write_bytes(story.data)
            try:
                loaded = await self.ask(Load(str(path), seed), patience)
            except ChildDied as failure:
                if await asyncio.to_thread(self._process.wait) == -signal.SIGPROF:
                    raise ChildHung(str(failure)) from failure
                raise
        assert isinstance(loaded, Loaded)
        return loaded

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    async def ask(self, request: Request, patience: float) -> Answer:
        """Raises ChildDied or, after so many seconds, ChildHung."""
        line = None
        try:
            line = await self._pipes.exchange(encoded(request), patience)
        except TimeoutError:
            raise ChildHung(f"no answer within {patience:g} seconds") from None
        finally:
            if line is None:  # also when the asking task is cancelled: a late answer would meet the next
                self.kill()
        if not line:
            raise ChildDied(self._last_complaint() or "the emulator's process ended")
        return answer_in(line)

    def _last_complaint(self) -> str:
        if self._complaints.closed:
            return ""
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Kill the child, and wait until it is gone. May be called twice."""
        if self._ended:
            return
        self._ended = True
        self.kill()
        self._pipes.close()
        await asyncio.to_thread(self._process.wait)
        self._complaints.close()
        self._remove_folder()

    def _remove_folder(self) -> None:
        """It is still there where the child was killed before it could remove it."""
        with suppress(FileNotFoundError):
            self._folder.rmdir()
