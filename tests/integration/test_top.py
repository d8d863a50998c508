"""`lantern top` and `lantern status` beside a mesh that runs: a table, JSON, a live view on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import Mesh
from test_runner import Counter, fragments, publish

from mesh.record.bus import Bus
from tests.support.processes.command import ROOT, Lantern


async def a_mesh_under_way(bus: Bus, mesh: Mesh) -> Any:
    """A service that has answered three steps."""
    [runner] = await mesh.run(Counter())
    await publish(bus, "session-one", [0, 1, 2])
    await fragments(bus, "session-one", 2, "counter")
    return runner


async def test_it_tells_services_sessions_and_the_stream_as_json(
    bus: Bus, mesh: Mesh, lantern: Lantern
) -> None:
    runner = await a_mesh_under_way(bus, mesh)

    arguments = ("top", "--json", "--interval", "0.5", "--nats", mesh.url, "--cell", mesh.cell)
    done = await asyncio.to_thread(lantern.run, *arguments)

    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    [service] = told["services"]
    assert (service["name"], service["instance"]) == ("counter", runner.bus.cell.me.instance)
    assert (service["state"], service["handled"], service["lag"], service["failed"]) == ("ready", 4, 0, 0)
    assert service["messages_per_second"] == 0
    assert 0 < service["seconds_p50"] <= service["seconds_p99"]
    [session] = told["sessions"]
    assert (session["session"], session["step"], session["score"]) == ("session-one", 2, None)
    assert told["stream"]["messages"] >= 7
    assert told["stream"]["bytes"] > 0


async def test_without_a_terminal_it_prints_one_table_and_ends(
    bus: Bus, mesh: Mesh, lantern: Lantern
) -> None:
    runner = await a_mesh_under_way(bus, mesh)
    runner.bus.cell.events.refusals.append((time.monotonic(), "no \x1b[31mway"))

    done = await asyncio.to_thread(
        lantern.run, "top", "--interval", "0.1", "--nats", mesh.url, "--cell", mesh.cell
    )
    status = await asyncio.to_thread(lantern.run, "status", "--nats", mesh.url, "--cell", mesh.cell)

    assert (done.returncode, done.stderr) == (0, "")
    [row] = [line.split() for line in done.stdout.splitlines() if line.startswith("counter  ")]
    assert row[:7] == ["counter", "1.0.0", runner.bus.cell.me.instance, "all", "ready", "ill", "4"]
    assert any(line.split()[:3] == ["session-one", "2", "?"] for line in done.stdout.splitlines())
    for told in (done.stdout, status.stdout):
        assert f"counter {runner.bus.cell.me.instance}: NATS refuses it: no �[31mway" in told
        assert "\x1b" not in told


@dataclass
class Terminal:
    """A command on a terminal of its own."""

    process: subprocess.Popen[bytes]
    keyboard: int
    line: int
    shown: str = ""

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + 60
        while words not in self.shown:
            assert time.monotonic() < deadline and self.process.poll() is None, self.shown
            self._read()

    def end(self) -> int:
        deadline = time.monotonic() + 60
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.shown
            self._read()
        return self.process.returncode

    def waits_for_enter(self) -> bool:
        """Whether the terminal hands over whole lines, as it does in a shell."""
        return bool(termios.tcgetattr(self.line)[3] & termios.ICANON)

    def _read(self) -> None:
        if select.select([self.keyboard], [], [], 0.05)[0]:
            self.shown += os.read(self.keyboard, 65536).decode(errors="replace")


@contextlib.contextmanager
def on_a_terminal(lantern: Lantern, *arguments: str) -> Iterator[Terminal]:
    keyboard, line = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lantern.cli", *arguments],
        env={**lantern.env, "TERM": "xterm", "COLUMNS": "160", "LINES": "40"},
        cwd=ROOT,
        stdin=line,
        stdout=line,
        stderr=line,
        start_new_session=True,
    )
    try:
        yield Terminal(process, keyboard, line)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
        os.close(line)


@pytest.mark.parametrize("end", ["q", "signal"])
async def test_on_a_terminal_it_goes_on_until_it_is_told_to_end(
    end: str, bus: Bus, mesh: Mesh, lantern: Lantern
) -> None:
    runner = await a_mesh_under_way(bus, mesh)

    def watch() -> int:
        arguments = ("top", "--interval", "0.1", "--nats", mesh.url, "--cell", mesh.cell)
        with on_a_terminal(lantern, *arguments) as terminal:
            terminal.wait_for(runner.bus.cell.me.instance)
            assert not terminal.waits_for_enter()
            terminal.shown = ""
            terminal.wait_for(runner.bus.cell.me.instance)  # drawn again
            if end == "q":
                os.write(terminal.keyboard, b"q")
            else:
                terminal.process.send_signal(signal.SIGINT)
            code = terminal.end()
            assert terminal.waits_for_enter()
            return code

    assert await asyncio.to_thread(watch) == 0
