"""How fast the whole mesh plays, where the time of a step goes, and how much memory it takes.

Usage: python -m benchmarks.mesh [STORY] [--runs N] [--steps N]

Without a story: zork1 beside the repository (`../shared/games`), else the bundled game. Each run is a session
of its own in a fresh home with an embedded server. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import psutil

from games import BUNDLED
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.log import log_to_file
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import StepTaken

HOPS = ("step to last fragment", "last fragment to proposal", "proposal to verdict", "verdict to next step")
MEGABYTE = 1 << 20


@dataclass
class Measured(SilentView):
    """Watches a session, and notes when each message was made and how much memory all processes hold."""

    home: Path
    memory_at: tuple[int, ...]
    times: dict[int, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    memory: dict[int, tuple[float, float]] = field(default_factory=dict)
    processor_seconds: float = 0.0

    def __post_init__(self) -> None:
        self.kinds = tuple(Kind)

    def show_message(self, envelope: Envelope) -> None:
        time = envelope.time.timestamp()
        match envelope.body:
            case StepTaken(step=number):
                self.times[number]["step"] = time
                if number in self.memory_at:
                    resident, proportional = zip(*self.processes(), strict=True)
                    self.memory[number] = sum(resident), sum(proportional)
            case FragmentGiven():
                told = self.times[envelope.step]
                told["fragment"] = max(time, told.get("fragment", 0.0))
            case ActionProposed():
                self.times[envelope.step]["proposal"] = time
            case ActionJudged():
                self.times[envelope.step]["verdict"] = time

    def hops(self) -> Iterator[tuple[float, float, float, float]]:
        """Seconds of the four hops of each step."""
        for number in sorted(self.times)[:-1]:
            now, after = self.times[number], self.times[number + 1]["step"]
            marks = (now["step"], now["fragment"], now["proposal"], now["verdict"], after)
            yield tuple(b - a for a, b in pairwise(marks))  # type: ignore[misc]

    def processes(self) -> Iterator[tuple[float, float]]:
        """Resident and proportional memory in MB of this process, its children and the embedded server.

        Proportional (PSS): a page that several processes share is counted once in the sum.
        """
        for process in psutil.process_iter():
            try:
                command = " ".join(process.cmdline())
                family = {process.pid, *(parent.pid for parent in process.parents())}
                if os.getpid() in family or str(self.home) in command:
                    memory = process.memory_full_info()
                    yield memory.rss / MEGABYTE, memory.pss / MEGABYTE
            except psutil.Error:
                continue


def memory_steps(steps: int) -> tuple[int, int]:
    """The steps at which memory is measured: half-way, and just before the session's processes end."""
    return steps // 2, steps - 10


def measure(story: str, steps: int) -> Measured:
    """One session in a fresh home."""
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        watcher = Measured(home, memory_steps(steps))
        wish = PlayOptions(story, steps, "heuristic", 1, "bench", "main", valid_actions=False)
        with log_to_file(home / "lantern.log"):
            began = time.process_time()
            asyncio.run(play(wish, checked_story(wish), MeshSettings(home=home), watcher))
            watcher.processor_seconds = time.process_time() - began
        return watcher


def seconds_to_first_step(story: str) -> float:
    """From typing the command to the opening text, in a fresh home: server, services and emulator."""
    with tempfile.TemporaryDirectory() as directory:
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "lantern.cli", "play", story, "--steps", "1"],
            env={**os.environ, "LANTERN_HOME": directory},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("[0] "):
                    took = time.perf_counter() - began
            return took


def table(runs: list[Measured], steps: int) -> Iterator[str]:
    """The figures as Markdown: medians over the runs, with the least and the greatest."""
    totals = [[sum(hops) for hops in run.hops()] for run in runs]
    yield "| figure | median of runs | least | greatest |"
    yield "| --- | --- | --- | --- |"
    yield _row("p50 per step, ms", [1e3 * _quantile(total, 0.50) for total in totals])
    yield _row("p99 per step, ms", [1e3 * _quantile(total, 0.99) for total in totals])
    for index, hop in enumerate(HOPS):
        yield _row(f"{hop}, p50 ms", [1e3 * _quantile([h[index] for h in run.hops()], 0.5) for run in runs])
    for index, hop in enumerate(HOPS):
        shares = [100 * sum(h[index] for h in run.hops()) / sum(map(sum, run.hops())) for run in runs]
        yield _row(f"{hop}, share %", shares)
    processor = [run.processor_seconds / steps * 1e3 for run in runs]
    yield _row("processor time of the mesh's process per step, ms", processor)
    for step in memory_steps(steps):
        for index, name in enumerate(("resident", "proportional")):
            sizes = [run.memory[step][index] for run in runs]
            yield _row(f"{name} memory of all processes at step {step}, MB", sizes)


def machine() -> str:
    """What this was measured on."""
    cpu = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return (
        f"{cpu}, {os.cpu_count()} cores, {psutil.virtual_memory().total / (1 << 30):.0f} GB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def default_story() -> str:
    """zork1, where it is beside the repository; else the bundled game."""
    zork = Path(__file__).parents[2] / "shared" / "games" / "zork1.z5"
    return str(zork) if zork.is_file() else "bundled"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1000)
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:  # memory is that of one session alone
        runs = pool.starmap(measure, [(given.story, given.steps)] * given.runs, chunksize=1)
    name = BUNDLED.name if given.story == "bundled" else Path(given.story).name
    print(f"{name}, heuristic, valid actions off: {given.runs} runs of {given.steps} steps, load {load:.1f}")
    print(f"\n{machine()}\n")
    print("\n".join(table(runs, given.steps)))
    print(_row("command to first step, s", [seconds_to_first_step(given.story) for _ in range(given.runs)]))


def _row(label: str, values: list[float]) -> str:
    return f"| {label} | {statistics.median(values):.1f} | {min(values):.1f} | {max(values):.1f} |"


def _quantile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


if __name__ == "__main__":
    main()
