"""What searches find: the score after some numbers of probes, and at the end, replayed from the opening.

Usage: python -m benchmarks.search STORY ... [--method frontier] [--probes N] [--seeds 1] [--emulator-seed N]

The emulator's seed is that of Jericho's walkthrough, on which scores are published, unless another is given.
`--totals` prints one row over all stories. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mesh import machine
from search.messages import Order
from search.running import SearchRun, SearchState
from zmachine.story_file import story_of

WALKTHROUGH_SEEDS = {"acorncourt": 4, "adventureland": 4, "advent": 5, "zork1": 12}
"""Of Jericho's walkthroughs; of all other development stories it is 0."""
POINTS = (1_000, 100_000, 400_000, 800_000)
"""Probes at which the score is told."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One search."""

    story: str
    state: SearchState
    seconds: float

    def score_at(self, probes: int) -> int:
        """The best score within so many probes."""
        return max((score for spent, score in self.state.curve if spent <= probes), default=0)


async def measured(path: Path, data: bytes, given: argparse.Namespace, seed: int) -> Measured:
    """Search a story once."""
    emulator_seed = given.emulator_seed
    if emulator_seed is None:
        emulator_seed = WALKTHROUGH_SEEDS.get(path.stem, 0)
    order = Order("", given.method, emulator_seed, seed, given.probes)
    began = time.monotonic()
    state = await SearchRun(story_of(data), order, given.jobs).run()
    return Measured(path.stem, state, time.monotonic() - began)


def row(name: str, runs: list[Measured], points: list[int]) -> str:
    """A line of the table: mean scores, and the range of the last."""
    scores = [statistics.mean(run.score_at(point) for run in runs) for point in points]
    last = [run.score_at(points[-1]) for run in runs]
    spread = f" ({min(last)} to {max(last)})" if len(runs) > 1 else ""
    told = " | ".join(f"{score:.1f}" if len(runs) > 1 else f"{score:.0f}" for score in scores)
    steps = statistics.mean(len(run.state.actions) for run in runs)
    return f"| {name} | {told}{spread} | {steps:.0f} | {sum(run.seconds for run in runs) / len(runs):.0f} |"


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("stories", nargs="+", type=Path)
    parser.add_argument("--method", default="frontier")
    parser.add_argument("--probes", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--emulator-seed", type=int)
    parser.add_argument("--totals", action="store_true")
    return parser.parse_args()


async def main(given: argparse.Namespace, stories: dict[Path, bytes]) -> None:
    """Search each story with each seed."""
    points = sorted({*(point for point in POINTS if point < given.probes), given.probes})
    print(f"{given.method}, {given.seeds} seeds, {given.jobs} processes; {machine()}\n")
    print("| story | " + " | ".join(f"{point:,} probes" for point in points) + " | steps | seconds |")
    print("| --- |" + " ---: |" * (len(points) + 2), flush=True)
    every = []
    for path in stories:
        runs = [await measured(path, stories[path], given, seed) for seed in range(1, given.seeds + 1)]
        every += runs
        if not given.totals:
            print(row(path.stem, runs, points), flush=True)
    if given.totals:
        print(row(f"{len(stories)} stories", every, points))


if __name__ == "__main__":
    wanted = arguments()
    asyncio.run(main(wanted, {path: path.read_bytes() for path in wanted.stories}))
