"""The worker processes of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from mesh.child_process import child_environment, die_with_parent
from mesh.errors import FailureError

LOOK = 0.2
"""Seconds between two looks at the workers."""

ENDS_WITHIN = 20.0
"""Seconds that a worker has for ending its session in order."""

MOST_DEATHS = 20
"""Workers of one run that may die; each is replaced."""


class WorkersDie(FailureError):
    """One worker after another has ended."""

    def __init__(self, log: Path) -> None:
        super().__init__(f"{MOST_DEATHS} workers have ended by themselves. Their log, {log}, says why.")


class WorkerProcesses:
    """Starts workers, replaces those that die, and stops them."""

    def __init__(self, url: str, run: str, jobs: int, log: Path) -> None:
        self._url, self._run, self._jobs, self._log = url, run, jobs, log
        self._processes: list[subprocess.Popen[bytes]] = []
        self._deaths = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Within the block the workers run; leaving it ends them in order.

        Raises:
            WorkersDie: they end by themselves, again and again.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                keeping = tasks.create_task(self._keep())
                try:
                    yield
                finally:
                    keeping.cancel()
        finally:
            await self._stop()

    async def _keep(self) -> None:
        while True:
            dead = [each for each in self._processes if each.poll() is not None]
            self._deaths += len(dead)
            if self._deaths >= MOST_DEATHS:
                raise WorkersDie(self._log)
            self._processes = [each for each in self._processes if each not in dead]
            while len(self._processes) < self._jobs:
                self._processes.append(self._start())
            await asyncio.sleep(LOOK)

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **child_environment(), "NATS_URL": self._url}
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "lantern.cli", "evaluate", "worker", "--run", self._run],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the coordinator, which then stops its workers
                preexec_fn=partial(die_with_parent, os.getpid()),
            )

    async def _stop(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        try:
            with suppress(TimeoutError):  # what a worker has in hand, another resumes
                async with asyncio.timeout(ENDS_WITHIN):
                    while any(each.poll() is None for each in self._processes):  # noqa: ASYNC110
                        await asyncio.sleep(LOOK)
        finally:
            for process in self._processes:
                process.kill()
                process.wait()
