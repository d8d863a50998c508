"""How fast the service's emulator is, beside Jericho's own environment in one process.

Usage: python -m benchmarks.emulator [STORY ...] [--runs N] [--steps N]

Without a story: every story beside the repository (`../shared/games`) that Jericho knows. The actions are the
walkthrough's, over and over. Prints Markdown: raw steps per second, the median of the runs.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.mesh import machine
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import Play
from zmachine.story_file import StoryFile

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


def jericho(path: Path, steps: int) -> tuple[float, list[str]]:
    """Steps per second of `FrotzEnv.step`, and the walkthrough."""
    command = [sys.executable, "-c", JERICHO, str(path), str(SEED), str(steps)]
    seconds, actions = json.loads(subprocess.check_output(command))
    return steps / seconds, actions


async def ours(story: StoryFile, actions: list[str], steps: int) -> tuple[float, float]:
    """Steps per second played one by one, and replayed in batches."""
    chosen = list(itertools.islice(itertools.cycle(actions), steps))
    async with await Emulator.start(story, SEED) as emulator:
        await emulator.opening()
        began = time.perf_counter()
        for action in chosen:
            await emulator.play(action)
        played = time.perf_counter() - began
        await emulator.rewind()
        began = time.perf_counter()
        await emulator.replay([Play(action) for action in chosen])
        return steps / played, steps / (time.perf_counter() - began)


async def start_seconds(story: StoryFile, *, spares: int) -> float:
    """How long a session waits for its emulator."""
    pool = ChildPool(spares)
    pool.fill()
    await asyncio.sleep(1.0)  # until the spare waits for its story
    try:
        return await timed(lambda: Emulator.start(story, SEED, pool=pool))
    finally:
        await pool.close()


async def timed(start: Callable[[], Awaitable[Emulator]]) -> float:
    began = time.perf_counter()
    emulator = await start()
    took = time.perf_counter() - began
    await emulator.close()
    return took


def row(path: Path, runs: int, steps: int) -> str:
    """One story: the medians of the runs."""
    story = check_story(path.read_bytes(), path.name)
    raw, played, replayed, cold, warm = [], [], [], [], []
    for _ in range(runs):
        alone, actions = jericho(path, steps)
        one_by_one, in_batches = asyncio.run(ours(story, actions, steps))
        raw.append(alone)
        played.append(one_by_one)
        replayed.append(in_batches)
        cold.append(asyncio.run(start_seconds(story, spares=0)))
        warm.append(asyncio.run(start_seconds(story, spares=1)))
    a, b, c = map(statistics.median, (raw, played, replayed))
    starts = f"{statistics.median(cold) * 1e3:.0f} | {statistics.median(warm) * 1e3:.0f}"
    return f"| {path.stem} | {a:.0f} | {b:.0f} | {b / a:.2f} | {c:.0f} | {c / a:.2f} | {starts} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    given = parser.parse_args()
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    load = os.getloadavg()[0]
    print(f"median of {given.runs} runs of {given.steps} steps, load {load:.1f}; {machine()}\n")
    print(
        "| story | Jericho, steps/s | one by one | ratio | replayed | ratio | start, ms | with a spare, ms |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in given.stories or beside:
        print(row(path, given.runs, given.steps), flush=True)


if __name__ == "__main__":
    main()
