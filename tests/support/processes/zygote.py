"""Forks service processes: everything is imported once, so a service that was killed is back in milliseconds.

A program of its own (`python zygote.py`), started before any thread or event loop: orders come as lines of
JSON on stdin, reports go to stdout. It ends when stdin does, and its children end with it.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lantern.play.compose import running
from lantern.play.services import service_named
from lantern.play.signals import StopOnSignal
from mesh.child_process import die_with_parent
from mesh.log import log_to
from mesh.settings import MeshSettings
from tests.support.processes.awaits import Point, Watch, shows

REPORTS = 1
"""The file descriptor of stdout; a line shorter than a pipe's page is never torn."""


def report(**told: Any) -> None:
    os.write(REPORTS, json.dumps(told).encode() + b"\n")


def main() -> None:
    """Fork a child for each order, and report each child's end."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    orders = os.fdopen(0, "rb", buffering=0)
    rest = b""
    while True:
        readable, _, _ = select.select([orders, woken], [], [])
        if woken in readable:
            os.read(woken, 4096)
            collect()
        if orders in readable:
            if not (data := orders.read(65536)):
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                fork(json.loads(line))


def collect() -> None:
    """Report the children that have ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        report(died=pid, code=os.waitstatus_to_exitcode(status))


def fork(order: dict[str, Any]) -> None:
    zygote, pid = os.getpid(), os.fork()
    if pid != 0:
        report(order=order["number"], forked=pid)
        return
    try:
        die_with_parent(zygote)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(0)
        os.open(os.devnull, os.O_RDONLY)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        fcntl.fcntl(os.dup2(log, 2), fcntl.F_SETFD, 0)
        os.environ.update(order["env"])
        run(order)
    except BaseException as error:  # noqa: BLE001 (a forked child must never return into the zygote)
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def run(order: dict[str, Any]) -> None:
    """Run services until SIGTERM, as `lantern serve` does."""
    log_to(sys.stderr, json=True)
    with asyncio.Runner() as runner:
        if order["watch"] or order["at"] or order["past"] is not None:
            watch = Watch(watcher(order, runner.get_loop()))
            runner.get_loop().set_task_factory(watch.factory)
        runner.run(serve(order))


async def serve(order: dict[str, Any]) -> None:
    settings = MeshSettings(home=Path(order["home"]), **order["settings"])
    services = [service_named(name, settings.home) for name in order["services"]]
    for service in services:
        service.version = order["version"] or service.version
    with StopOnSignal() as stopping:
        async with running(services, order["url"], order["cell"], settings):
            report(order=order["number"], ready=True)
            await stopping.wait()


def watcher(order: dict[str, Any], loop: asyncio.AbstractEventLoop) -> Callable[[Point], None]:
    """Report each await point once; at the one that was ordered, get the signal.

    `at`: there, the `nth` time; `past`: at the first that is none of these (see `shows`). Unless `armed`,
    only after SIGUSR1.
    """
    armed = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, armed.set)
    if order["armed"]:
        armed.set()
    at = Point(*order["at"]) if order["at"] else None
    past = None if order["past"] is None else {Point(*point) for point in order["past"]}
    seen: set[Point] = set()
    left = order["nth"]

    def passed(point: Point) -> None:
        nonlocal left
        if point not in seen:
            seen.add(point)
            report(order=order["number"], point=[point.where, point.side, point.publishes])
        ordered = point.reaction == at if past is None else shows(point) and point not in past
        left -= ordered
        if ordered and left <= 0 and armed.is_set():
            armed.clear()
            report(order=order["number"], fired=[point.where, point.side])
            os.kill(os.getpid(), order["signal"])

    return passed


if __name__ == "__main__":
    main()
