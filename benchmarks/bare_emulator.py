"""The speed of the searches' emulator, a restore and a step for each candidate, beside Jericho's step alone.

Usage: python -m benchmarks.bare_emulator [STORY ...] [--runs N] [--steps N]

Without a story: every story beside the repository (`../shared/games`) that Jericho knows. The actions are the
walkthrough's, over and over. Prints Markdown: steps per second, the medians of runs in turns.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from benchmarks.beside_jericho import SEED, compare, jericho
from search.environment import Environment

ALONE = "--alone"


def alone(path: Path, actions: list[str]) -> float:
    """Seconds for restoring and stepping through these actions. In this process, which can do so once."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        environment = Environment(copy, SEED)
    began = time.perf_counter()
    for action in actions:
        environment.restore(environment.save())
        if environment.step(action).done:
            environment.restart()
    return time.perf_counter() - began


def ours(path: Path, actions: list[str], steps: int) -> float:
    """Steps per second of the bare emulator."""
    told = json.dumps(list(islice(cycle(actions), steps)))
    command = [sys.executable, "-m", "benchmarks.bare_emulator", ALONE, str(path)]
    return steps / float(
        subprocess.run(command, input=told, check=True, capture_output=True, text=True).stdout
    )


def row(path: Path, runs: int, steps: int) -> tuple[str, float]:
    """One story: the medians of the runs, and their ratio."""
    raw, bare = [], []
    for _ in range(runs):
        rate, actions = jericho(path, steps)
        raw.append(rate)
        bare.append(ours(path, actions, steps))
    a, b = map(statistics.median, (raw, bare))
    return f"| {path.stem} | {a:.0f} | {b:.0f} | {b / a:.2f} |", b / a


if __name__ == "__main__":
    if sys.argv[1:2] == [ALONE]:
        print(alone(Path(sys.argv[2]), json.load(sys.stdin)))
    else:
        compare(__doc__, ("bare, steps/s", "share"), row)
