"""The command line as a user has it, for the tests: processes in a home of their own."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import structlog

from lantern import cli

ROOT = Path(__file__).parents[3]
REPEATABLE = {"LANTERN_GAME_SEARCH_SECONDS": "60", "LANTERN_GAME_SEARCH_CANDIDATES": "40"}
"""With these the clock ends no search for valid actions on a busy machine either, and searches are quick."""

PATIENT = {
    "LANTERN_ACTOR_DEADLINE": "60",
    "LANTERN_GAME_VERDICT_DEADLINE": "60",
    "LANTERN_DEAD_AFTER": "60",
}
"""With these nobody is given up because a busy machine is slow: what is missing was lost."""


IN_PROCESS = {
    ("dead-letters",),
    ("diff",),
    ("experience",),
    ("memory",),
    ("status",),
    *(("sessions", name) for name in ("list", "show", "export", "import", "delete")),
}
"""Commands that run no service: they can run in the test's own process."""


class Running:
    """A command under way; what it prints goes to files, so that it never waits for a reader."""

    def __init__(self, arguments: tuple[str, ...], env: dict[str, str], directory: Path) -> None:
        self.arguments = arguments
        directory = directory if directory.is_dir() else directory.parent
        self.out, self.err = (Path(tempfile.mkstemp(dir=directory)[1]) for _ in range(2))
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "lantern.cli", *arguments],
                env=env,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

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
        self.in_process = False
        """Whether `run` runs every command in the test's own process: each start with a model takes a second
        of imports. Not for tests on what processes do alike or apart: they would share the hash seed."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.env = {**kept, **REPEATABLE, "LANTERN_HOME": str(home), "TERM": "dumb"}

    def start(self, *arguments: str) -> Running:
        return Running(arguments, self.env, self.home.parent)

    def run(self, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a command to its end: in this process where it only reads or writes the record."""
        alone = not self.in_process and IN_PROCESS.isdisjoint((arguments[:1], arguments[:2]))
        if alone or _in_an_event_loop():
            return self.start(*arguments).wait(timeout)
        return self.call(*arguments)

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command in this process, which starts no interpreter."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.env, clear=True),
            Path(os.devnull).open() as nothing,
            mock.patch("sys.stdin", nothing),
            contextlib.chdir(ROOT),
        ):
            code = cli.run(arguments, out, err)
        structlog.reset_defaults()
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

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
        try:
            told = f"{process.cmdline()} {process.environ().get('LANTERN_HOME')}"
        except psutil.Error:
            return False
        return str(self.home) in told and process.pid != os.getpid()


def _in_an_event_loop() -> bool:
    """Whether the test runs an event loop: a command would run another, and change its environment."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    return not in_main_thread or asyncio._get_running_loop() is not None
