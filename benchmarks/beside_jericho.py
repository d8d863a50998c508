"""What the comparisons with Jericho's own environment share: its speed, and a table of stories."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.mesh import machine

SEED = 1
JERICHO = """
import json, sys, time
from jericho import FrotzEnv
env = FrotzEnv(sys.argv[1], seed=int(sys.argv[2]))
actions = env.get_walkthrough()
env.reset()
began, done = time.perf_counter(), False
for number in range(int(sys.argv[3])):
    if done:
        env.reset()
    done = env.step(actions[number % len(actions)])[2]
print(json.dumps([time.perf_counter() - began, actions]))
"""
"""In a process of its own, as the library keeps everything in globals."""

Row = Callable[[Path, int, int], tuple[str, float]]
"""A story's row of the table from the number of runs and of steps, and the share of Jericho's steps."""


def jericho(path: Path, steps: int) -> tuple[float, list[str]]:
    """Steps per second of `FrotzEnv.step`, and the walkthrough."""
    command = [sys.executable, "-c", JERICHO, str(path), str(SEED), str(steps)]
    seconds, actions = json.loads(subprocess.check_output(command))
    return steps / seconds, actions


def compare(description: str | None, columns: Sequence[str], row: Row) -> None:
    """The program: print a table of the stories of the command line, else of all beside the repository."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    given = parser.parse_args()
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    load = os.getloadavg()[0]
    print(f"median of {given.runs} runs of {given.steps} steps, load {load:.1f}; {machine()}\n")
    print(f"| story | Jericho, steps/s | {' | '.join(columns)} |")
    print("| --- " * (len(columns) + 2) + "|")
    shares = []
    for path in given.stories or beside:
        line, share = row(path, given.runs, given.steps)
        shares.append(share)
        print(line, flush=True)
    half = sum(share >= 0.5 for share in shares)
    print(f"\n{half} of {len(shares)} stories at half of Jericho's steps or more; ", end="")
    print(f"median share {statistics.median(shares):.2f}")
