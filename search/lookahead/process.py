"""The process that looks ahead, seen from its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from mesh.child_process import child_environment, send_signal
from mesh.errors import FailureError
from search.lookahead.messages import Ahead, LoadStory, LookAhead, answer_in, line_of
from zmachine.story_file import StoryFile

FOLDER = "lantern-lookahead-"
WORKER = "search.lookahead.worker"
LONGEST_LINE = 1 << 20
"""Bytes of an answer."""
PATIENCE = 60.0
"""Seconds without an answer after which the process counts as hung."""


class LookaheadFailed(FailureError):
    """The process ended or hung: the story does that to the emulator at some action."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The emulator that looks ahead {why}.")


class LookaheadProcess:
    """Looks ahead in one story; one request at a time. Start it from the main thread."""

    def __init__(self, story: StoryFile, seed: int) -> None:
        self._story, self._seed = story, seed
        self._process: Process | None = None

    async def ask(self, request: LookAhead) -> Ahead:
        """What is found ahead of a position.

        Raises:
            LookaheadFailed: the process ended or hung. The next request starts another.
        """
        answer = None
        try:
            process = self._process or await self._started()
            answer = await _exchanged(process, request)
        finally:
            if answer is None:  # also where the asking task is cancelled: a late answer would meet the next
                await self.end()
        return answer

    async def end(self) -> None:
        """End the process; it keeps nothing that could be lost. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                send_signal(process.pid, signal.SIGKILL)
            await process.wait()

    async def _started(self) -> Process:
        """A process that has loaded the story."""
        process = self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", WORKER, str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=child_environment(),
            limit=LONGEST_LINE,
        )
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{self._story.md5}{self._story.suffix}"
            path.write_bytes(self._story.data)
            await _exchanged(process, LoadStory(str(path), self._seed))
        return process


async def _exchanged(process: Process, request: LoadStory | LookAhead) -> Ahead:
    assert process.stdin is not None and process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            process.stdin.write(line_of(request))
            line = await process.stdout.readline()
    except TimeoutError:
        raise LookaheadFailed(f"did not answer within {PATIENCE:g} s") from None
    if not line:
        raise LookaheadFailed("has ended")
    return answer_in(line)
