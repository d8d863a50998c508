"""The command line as a user has it, for the tests: processes in a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from tests.support.processes.forked_command import ForkedCommand, plain_environment, start_the_fork_server

ROOT = Path(__file__).parents[3]
REPEATABLE = {"LANTERN_GAME_SEARCH_SECONDS": "60", "LANTERN_GAME_SEARCH_CANDIDATES": "40"}
"""With these the clock ends no search for valid actions on a busy machine either, and searches are quick."""

PATIENT = {
    "LANTERN_ACTOR_DEADLINE": "60",
    "LANTERN_GAME_VERDICT_DEADLINE": "60",
    "LANTERN_DEAD_AFTER": "60",
}
"""With these nobody is given up because a busy machine is slow: what is missing was lost."""


class Running:
    """A command under way; what it prints goes to files, so that it never waits for a reader."""

    def __init__(self, arguments: tuple[str, ...], env: dict[str, str], directory: Path) -> None:
        self.arguments = arguments
        directory = directory if directory.is_dir() else directory.parent
        self.out, self.err = (Path(tempfile.mkstemp(dir=directory)[1]) for _ in range(2))
        is_of_its_own = any(name.startswith("PYTHON") for name in env)
        begin: Callable[..., ForkedCommand | subprocess.Popen[bytes]]
        begin = _spawned if is_of_its_own else ForkedCommand
        self.process = begin(arguments, env, ROOT, self.out, self.err)

    def wait(self, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        code = self.process.wait(timeout)
        return subprocess.CompletedProcess(self.arguments, code, self.out.read_text(), self.err.read_text())

    def wait_for_step(self, number: int) -> None:
        deadline = time.monotonic() + 60
        while f"\n[{number}] " not in self.out.read_text():
            assert time.monotonic() < deadline and self.process.poll() is None, self.err.read_text()
            time.sleep(0.02)


class Lantern:
    """The command in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        start_the_fork_server()  # which takes seconds, once: no command shall seem to take them
        self._started: list[Running] = []
        self.env = {**plain_environment(), **REPEATABLE, "LANTERN_HOME": str(home)}

    def start(self, *arguments: str) -> Running:
        self._started.append(Running(arguments, self.env, self.home.parent))
        return self._started[-1]

    def run(self, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return self.start(*arguments).wait(timeout)

    def play(self, *arguments: str) -> dict[str, Any]:
        return self._played("play", *arguments)

    def resume(self, *arguments: str) -> dict[str, Any]:
        return self._played("resume", *arguments)

    def _played(self, *arguments: str) -> dict[str, Any]:
        done = self.run(*arguments, "--json", timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        counts: dict[str, Any] = json.loads(done.stdout)
        return counts

    def actions(self, session: str) -> list[str]:
        done = self.run("sessions", "show", session)
        return [line for line in done.stdout.splitlines() if line.startswith("> ")]

    def sessions(self) -> list[dict[str, Any]]:
        if not (self.home / "nats").exists():
            return []
        listed: list[dict[str, Any]] = json.loads(self.run("sessions", "list", "--json").stdout)
        return listed

    def processes(self) -> list[psutil.Process]:
        """Every process that works for this home."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def wait_until_gone(self) -> None:
        deadline = time.monotonic() + 15
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == []

    def _is_ours(self, process: psutil.Process) -> bool:
        running = (each.process for each in self._started)
        if any(each.pid == process.pid and each.poll() is None for each in running):
            return True
        try:
            told = f"{process.cmdline()} {process.environ().get('LANTERN_HOME')}"
        except psutil.Error:
            return False
        return str(self.home) in told and process.pid != os.getpid()


def _spawned(
    arguments: Sequence[str], env: Mapping[str, str], cwd: Path, out: Path, err: Path
) -> subprocess.Popen[bytes]:
    """A process of its own, which imports all anew: for what the interpreter looks at when it starts."""
    command = [sys.executable, "-m", "lantern.cli", *arguments]
    with out.open("w") as stdout, err.open("w") as stderr:
        return subprocess.Popen(
            command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
        )
