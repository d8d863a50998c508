"""A child process that runs one story, seen from its parent: start, ask, kill."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

import services
from services.game.emulator.protocol import Answer, Load, Loaded, Request, answer_in, encoded
from services.game.zmachine import Story

WORKER = "services.game.emulator.worker"
LONGEST_LINE = 1 << 22


class ChildDied(Exception):
    """The child ended while it was asked something."""


class ChildHung(Exception):
    """The child did not answer in time, and was killed."""


class Child:
    """A running child. After any exception from `ask` it is dead; `end` must be called in any case.

    Start it from the main thread: the kernel kills it when the thread that started it ends.
    """

    def __init__(self, process: Process, complaints: IO[bytes]) -> None:
        self._process = process
        self._complaints = complaints

    @classmethod
    async def start(cls, story: Story, seed: int, *, search: bool, patience: float) -> tuple[Child, Loaded]:
        """A child that has loaded a story, which lies in a folder only so long as that takes."""
        with tempfile.TemporaryDirectory(prefix="lantern-emulator-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{story.md5}{story.suffix}"
            path.write_bytes(story.data)
            child = await cls._spawned(folder)
            loaded = None
            try:
                loaded = await child.ask(Load(str(path), seed, search), patience)
            finally:
                if loaded is None:
                    await child.end()
        assert isinstance(loaded, Loaded)
        return child, loaded

    @classmethod
    async def _spawned(cls, folder: str) -> Child:
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            WORKER,
            str(os.getpid()),
            stdin=PIPE,
            stdout=PIPE,
            stderr=complaints,
            cwd=folder,
            env=environment(),
            limit=LONGEST_LINE,
        )
        return cls(process, complaints)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, request: Request, patience: float) -> Answer:
        """Raises ChildDied or, after so many seconds, ChildHung."""
        answered = False
        try:
            async with asyncio.timeout(patience):
                answer = await self._exchange(request)
            answered = True
        except TimeoutError:
            raise ChildHung(f"no answer within {patience:g} seconds") from None
        finally:
            if (
                not answered
            ):  # also when the asking task is cancelled: a late answer would meet the next request
                self.kill()
        return answer

    async def _exchange(self, request: Request) -> Answer:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(encoded(request))
            await self._process.stdin.drain()
            line = await self._process.stdout.readline()
        except ConnectionError:
            line = b""
        if not line.endswith(b"\n"):
            raise ChildDied(self._last_complaint() or "the emulator's process ended")
        return answer_in(line)

    def _last_complaint(self) -> str:
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def kill(self) -> None:
        """Not by asyncio's own `kill`, which may reap a dead child before asyncio's watcher does."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Kill the child and wait until it is gone. May be called twice."""
        self.kill()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        with suppress(ConnectionError):
            await self._process.stdout.read()
        await self._process.wait()
        self._complaints.close()


def environment() -> Mapping[str, str]:
    """What the child needs to find this package, and nothing else: no keys, no settings."""
    [package] = services.__path__
    passed = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV", "TMPDIR") if name in os.environ}
    folders = [str(Path(package).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return passed | {"PYTHONPATH": os.pathsep.join(folders), "PYTHONHASHSEED": "0"}
