"""How many steps per second several sessions take together, each in a process and a cell of its own.

Usage: python -m benchmarks.throughput [STORY] [--sessions N] [--steps N] [--policy P ...]

All sessions share one embedded NATS server. The rate counts the steps between the moment at which the last
session has its first step and the moment at which the first session has ended: all of them are playing then.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from benchmarks.mesh import default_story, machine
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.log import log_to_file
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope


@dataclass
class StepTimes(SilentView):
    """Watches a session, and notes when each step was published."""

    times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kinds = (Kind.STEP,)

    def show_message(self, envelope: Envelope) -> None:
        self.times.append(envelope.time.timestamp())


def session(home: Path, number: int, story: str, policy: str, steps: int) -> list[float]:
    """One session in this process: when each of its steps was published, in seconds since the epoch."""
    watcher = StepTimes()
    name = f"session-{number}"
    options = PlayOptions(story, steps, policy, number + 1, name, name, valid_actions=False)
    with log_to_file(home / f"{name}.log"):
        asyncio.run(play(options, checked_story(options), MeshSettings(home=home), watcher))
    return watcher.times


def rate(sessions: Iterable[list[float]]) -> float:
    """Steps per second of all sessions together, while every one of them is playing."""
    times = list(sessions)
    begin, end = max(each[0] for each in times), min(each[-1] for each in times)
    return sum(begin < time <= end for each in times for time in each) / (end - begin)


def measure(story: str, policy: str, number: int, steps: int) -> float:
    """Steps per second of `number` sessions at once, in a fresh home."""
    with tempfile.TemporaryDirectory() as directory, get_context("spawn").Pool(number) as pool:
        home = Path(directory)
        return rate(pool.starmap(session, [(home, each, story, policy, steps) for each in range(number)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--sessions", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--policy", nargs="+", default=["random", "heuristic"])
    options = parser.parse_args()
    print(f"{machine()}, load {os.getloadavg()[0]:.1f}\n")
    print(f"{Path(options.story).name}, valid actions off, {options.sessions} sessions at once:\n")
    print("| policy | steps/s in all, median | least | greatest |")
    print("| --- | --- | --- | --- |")
    for policy in options.policy:
        rates = [measure(options.story, policy, options.sessions, options.steps) for _ in range(options.runs)]
        print(f"| {policy} | {median(rates):.0f} | {min(rates):.0f} | {max(rates):.0f} |")


if __name__ == "__main__":
    main()
