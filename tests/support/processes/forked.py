"""Forked service processes, seen from the test: started, killed, stopped, and what they report."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.processes.awaits import Point

HERE = Path(__file__).parent
_numbers = itertools.count(1)


@dataclass(eq=False)
class Process:
    """A forked process that runs services."""

    order: dict[str, Any]
    pid: int = 0
    code: int | None = None
    terminated: bool = False
    fired_at: Point | None = None
    points: list[Point] = field(default_factory=list)
    forked: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    fired: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        return "+".join(self.order["services"])

    def send(self, number: signal.Signals) -> None:
        if self.code is None:
            with suppress(ProcessLookupError):  # it has ended, and was not told of yet
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to leave, once: a second SIGTERM would end it at once."""
        if not self.terminated:
            self.terminated = True
            self.send(signal.SIGTERM)

    def arm(self) -> None:
        self.send(signal.SIGUSR1)

    async def kill(self) -> None:
        self.send(signal.SIGKILL)
        await self.ended.wait()

    def log(self) -> str:
        return Path(self.order["log"]).read_text()


class Zygote:
    """The process that forks all others; it and they end with `close`, and with the tests."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "zygote.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders, self._reports = self._process.stdin, self._process.stdout
        os.set_blocking(self._reports.fileno(), False)
        self._rest = b""
        self._processes: dict[int, Process] = {}

    @asynccontextmanager
    async def heard(self) -> AsyncIterator[None]:
        """For as long as the block lasts, reports are taken in; then no process is left."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._reports, self._hear)
        try:
            yield
        finally:
            for process in list(self._processes.values()):
                await process.forked.wait()
                await process.kill()
            loop.remove_reader(self._reports)
            self._processes.clear()

    def fork(self, order: dict[str, Any]) -> Process:
        number = next(_numbers)
        process = self._processes[number] = Process({"number": number, **order})
        self._orders.write(json.dumps(process.order).encode() + b"\n")
        self._orders.flush()
        return process

    def close(self) -> None:
        self._orders.close()
        self._process.wait(10)
        self._reports.close()

    def _hear(self) -> None:
        *lines, self._rest = (self._rest + (self._reports.read() or b"")).split(b"\n")
        for line in lines:
            self._note(json.loads(line))

    def _note(self, told: dict[str, Any]) -> None:
        if "died" in told:
            [process] = [p for p in self._processes.values() if p.pid == told["died"] and p.code is None]
            process.code = told["code"]
            process.ended.set()
            return
        process = self._processes[told["order"]]
        match told:
            case {"forked": pid}:
                process.pid = pid
                process.forked.set()
            case {"ready": _}:
                process.ready.set()
            case {"fired": point}:
                process.fired_at = Point(*point)
                process.fired.set()
            case {"point": point}:
                process.points.append(Point(*point))


async def first(*events: asyncio.Event) -> None:
    """Wait until one of some events has happened."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
