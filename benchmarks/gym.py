"""How fast the bare environment is, beside Jericho's own in one process.

Usage: python -m benchmarks.gym [STORY ...] [--runs N] [--steps N]

Without a story: every story beside the repository (`../shared/games`) that Jericho knows. The actions are the
walkthrough's, over and over. Prints Markdown: steps per second, the medians of runs in turns.
"""

from __future__ import annotations

import itertools
import statistics
import time
from pathlib import Path

from benchmarks.beside_jericho import SEED, compare, jericho
from lantern.gym import story_environment


def ours(path: Path, actions: list[str], steps: int, *, scene: bool) -> float:
    """Steps per second of the bare environment, without valid actions."""
    environment = story_environment(str(path), scene=scene, seed=SEED)
    environment.reset()
    began, done = time.perf_counter(), False
    for number, action in enumerate(itertools.cycle(actions)):
        if number == steps:
            break
        if done:
            environment.reset()
        _, _, terminated, truncated, _ = environment.step(action)
        done = terminated or truncated
    took = time.perf_counter() - began
    environment.close()
    return steps / took


def row(path: Path, runs: int, steps: int) -> tuple[str, float]:
    """One story: the medians of the runs, and the ratio without the scene."""
    raw, fast, full = [], [], []
    for _ in range(runs):
        alone, actions = jericho(path, steps)
        raw.append(alone)
        fast.append(ours(path, actions, steps, scene=False))
        full.append(ours(path, actions, steps, scene=True))
    a, b, c = map(statistics.median, (raw, fast, full))
    return f"| {path.stem} | {a:.0f} | {b:.0f} | {b / a:.2f} | {c:.0f} | {c / a:.2f} |", b / a


if __name__ == "__main__":
    compare(__doc__, ("bare, scene=False", "ratio", "bare", "ratio"), row)
