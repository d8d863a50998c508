"""How the memory of each service, and of the NATS server, grows with the steps of one session.

Usage: python -m benchmarks.memory [STORY] [--steps N] [--policy P]

Each service is a process of its own (`lantern serve X`). Resident memory is read at every tenth of the steps;
what was gained per 1,000 steps over the second half is what a longer session would go on to gain.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from benchmarks.mesh import MEGABYTE, default_story, machine
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.play import play
from lantern.play.services import SERVICES
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.log import log_to_file
from mesh.observability.liveness import who_is_live
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken


class MemoryView(SilentView):
    """Reads the resident memory of some processes at some steps, in MB."""

    kinds: Collection[Kind] = (Kind.STARTED, Kind.STEP)

    def __init__(self, processes: dict[str, psutil.Process], every: int) -> None:
        self.processes, self.every = processes, every
        self.weights: dict[str, dict[int, float]] = defaultdict(dict)

    def show_message(self, envelope: Envelope) -> None:
        step = envelope.body.step
        if isinstance(envelope.body, StepTaken) and step and step % self.every == 0:
            for name, process in self.processes.items():
                self.weights[name][step] = _resident(process) / MEGABYTE
            children = self.processes["game"].children(recursive=True)
            self.weights["emulators"][step] = sum(map(_resident, children)) / MEGABYTE
            print(f"step {step}", file=sys.stderr)


def _resident(process: psutil.Process) -> int:
    """Bytes; 0 where it has just ended."""
    with suppress(psutil.NoSuchProcess):
        return process.memory_info().rss
    return 0


@contextmanager
def serving(home: Path, url: str) -> Iterator[dict[str, psutil.Process]]:
    """All services, each in a process of its own."""
    processes = {}
    try:
        for name in SERVICES:
            with (home / f"{name}.log").open("w") as log:
                processes[name] = subprocess.Popen(
                    [sys.executable, "-m", "lantern.cli", "serve", name, "--nats", url],
                    env={**os.environ, "LANTERN_HOME": str(home)},
                    stdout=log,
                    stderr=log,
                )
        yield {name: psutil.Process(process.pid) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.wait(30)


async def measure(story: str, steps: int, policy: str, home: Path) -> MemoryView:
    """One session on services in processes of their own."""
    async with embedded_nats(home) as url:
        server = json.loads((home / "nats" / "server.json").read_text())["server"]
        with serving(home, url) as processes:
            async with connection(url, "main") as bus, asyncio.timeout(60):
                while len(await who_is_live(bus.cell)) < len(SERVICES):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            view = MemoryView({**processes, "NATS server": psutil.Process(server)}, max(1, steps // 10))
            options = PlayOptions(story, steps, policy, 1, "long", "main", valid_actions=False)
            await play(options, checked_story(options), MeshSettings(home=home, NATS_URL=url), view)
        return view


def table(weights: dict[str, dict[int, float]], steps: int) -> Iterator[str]:
    """A row for each process."""
    marks = sorted(next(iter(weights.values())))
    half = min(marks, key=lambda mark: abs(mark - steps / 2))
    thousands = (marks[-1] - half) / 1000
    yield f"| MB at step | {' | '.join(map(str, marks))} | KB a step after {half} |"
    yield f"| --- |{' --- |' * (len(marks) + 1)}"
    for name, weight in weights.items():
        grown = (weight[marks[-1]] - weight[half]) / thousands
        cells = " | ".join(f"{weight[mark]:.1f}" for mark in marks)
        yield f"| {name} | {cells} | {grown * 1024 / 1000:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--policy", default="heuristic")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        with log_to_file(home / "lantern.log"):
            view = asyncio.run(measure(arguments.story, arguments.steps, arguments.policy, home))
    story = Path(arguments.story).name
    print(f"{story}, {arguments.policy}, valid actions off, {arguments.steps} steps\n\n{machine()}\n")
    print("\n".join(table(view.weights, arguments.steps)))


if __name__ == "__main__":
    main()
