"""Forks the command `lantern` from a process that has imported it: a start takes milliseconds, not a second.

That process is the fork server of Python's `multiprocessing`, and ends with the tests. What a command has
imported, its hash seed and what `ps` says of it are the fork server's; all else is as of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from unittest import mock

from lantern import cli

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload([f"{__package__}.imported_commands"])


class ForkedCommand:
    """A command under way, with what the tests need of `subprocess.Popen`; `start_the_fork_server` first."""

    def __init__(
        self, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, out: Path, err: Path
    ) -> None:
        hangups = signal.getsignal(signal.SIGHUP)
        given = (tuple(arguments), dict(env), str(cwd), str(out), str(err), hangups)
        self._process = _FORKING.Process(target=_run, args=given)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired("lantern", timeout or 0.0)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def plain_environment() -> dict[str, str]:
    """What a command has of the tests' own environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"TERM": "dumb"}


@cache
def start_the_fork_server() -> None:
    """Return when it has imported all."""
    with mock.patch.dict(os.environ, plain_environment(), clear=True):
        ensure_running()
    first = _FORKING.Process(target=os.getpid)
    first.start()
    first.join()


def _run(
    arguments: tuple[str, ...], env: dict[str, str], cwd: str, out: str, err: str, hangups: signal.Handlers
) -> None:
    """In the forked process: become the command."""
    signal.signal(signal.SIGHUP, hangups)  # the fork server may have been started under `nohup`
    os.chdir(cwd)
    for descriptor, path in enumerate((os.devnull, out, err)):
        opened = os.open(path, os.O_RDWR)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 (it may have been made for a terminal)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [cli.__file__, *arguments]
    cli.main()
