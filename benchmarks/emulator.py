"""How fast the service's emulator is, beside Jericho's own environment in one process.

Usage: python -m benchmarks.emulator [STORY ...] [--runs N] [--steps N]

Without a story: every story beside the repository (`../shared/games`) that Jericho knows. The actions are the
walkthrough's, over and over. Prints Markdown: raw steps per second, the median of the runs.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.beside_jericho import SEED, compare, jericho
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import Play
from zmachine.story_file import StoryFile


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


def row(path: Path, runs: int, steps: int) -> tuple[str, float]:
    """One story: the medians of the runs, and the ratio of the steps played one by one."""
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
    line = f"| {path.stem} | {a:.0f} | {b:.0f} | {b / a:.2f} | {c:.0f} | {c / a:.2f} | {starts} |"
    return line, b / a


if __name__ == "__main__":
    compare(__doc__, ("one by one", "ratio", "replayed", "ratio", "start, ms", "with a spare, ms"), row)
