"""What searches find: the score after some numbers of probes, and at the end, replayed from the opening.

Usage: python -m benchmarks.search [STORY ...] [--method frontier] [--probes N] [--seeds 1]
           [--emulator-seed N] [--without PART] [--totals]

Without a story: every story beside the repository (`../shared/games`). The emulator's seed is that of
Jericho's walkthrough, on which scores are published, unless another is given. `--totals` prints the share of
the points beyond the opening's, over all stories, the even and the odd ones; else each story has a row.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ablation import even_and_odd
from benchmarks.behaviours import BESIDE
from benchmarks.mesh import machine
from lantern.evaluation.results import percent_gained
from lantern.play.search.rule_player import play_before
from lantern.play.story_files import load_story
from search.environment import Environment
from search.frontier.parts import SearchPart
from search.messages import Order
from search.running import SearchRun, SearchState

WALKTHROUGH_SEEDS = {"acorncourt": 4, "adventureland": 4, "advent": 5, "zork1": 12}
"""Of Jericho's walkthroughs; of all other development stories it is 0."""
POINTS = (1_000, 100_000, 400_000, 800_000)
"""Probes at which the score is told."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Between which scores a story is played."""

    opening: int
    most: int | None
    """None: the story does not say."""


def scale(path: Path) -> Scale:
    """Of one story."""
    environment = Environment(path, WALKTHROUGH_SEEDS.get(path.stem, 0))
    return Scale(environment.opening.score, environment.max_score)


def scales(stories: Iterable[Path]) -> Mapping[Path, Scale]:
    """Of each story, in a process of its own: the interpreter's library holds one story."""
    paths = tuple(stories)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        return dict(zip(paths, pool.map(scale, paths), strict=True))


@dataclass(frozen=True, slots=True)
class Measured:
    """One search."""

    path: Path
    md5: str
    state: SearchState
    seconds: float

    def score_at(self, probes: int) -> int:
        """The best score within so many probes."""
        return max((score for spent, score in self.state.curve if spent <= probes), default=0)


async def measured(path: Path, given: argparse.Namespace, seed: int) -> Measured:
    """Search a story once."""
    emulator_seed, story = given.emulator_seed, load_story(str(path))
    if emulator_seed is None:
        emulator_seed = WALKTHROUGH_SEEDS.get(path.stem, 0)
    options = {"without": given.without} if given.without else {}
    order = Order("", given.method, emulator_seed, seed, given.probes, options)
    began = time.monotonic()
    search = SearchRun(story, order, given.jobs)
    await play_before(search)
    return Measured(path, story.md5, await search.run(), time.monotonic() - began)


def row(name: str, runs: list[Measured], points: list[int]) -> str:
    """A line of the table: mean scores, and the range of the last."""
    scores = [statistics.mean(run.score_at(point) for run in runs) for point in points]
    last = [run.score_at(points[-1]) for run in runs]
    spread = f" ({min(last)} to {max(last)})" if len(runs) > 1 else ""
    told = " | ".join(f"{score:.1f}" if len(runs) > 1 else f"{score:.0f}" for score in scores)
    steps = statistics.mean(len(run.state.actions) for run in runs)
    return f"| {name} | {told}{spread} | {steps:.0f} | {sum(run.seconds for run in runs) / len(runs):.0f} |"


def shares(runs: Sequence[Measured], points: Sequence[int], scales: Mapping[Path, Scale]) -> Iterator[str]:
    """A row for all stories, the even and the odd ones: percent of the points beyond the opening's."""

    def share(run: Measured, at: int) -> float:
        bounds = scales[run.path]
        best = max(bounds.opening, run.score_at(at))
        return percent_gained(best, bounds.opening, bounds.most) or 0.0

    for name, part in zip(
        ("all", "even", "odd"), (runs, *even_and_odd(runs, lambda run: run.md5)), strict=True
    ):
        if part:
            means = (statistics.mean(share(run, at) for run in part) for at in points)
            told = " | ".join(f"{mean:.2f}" for mean in means)
            any_point = 100 * statistics.mean(share(run, points[-1]) > 0 for run in part)
            number = len({run.md5 for run in part})
            yield f"| {name} ({number}) | {told} | {any_point:.0f} | {sum(run.seconds for run in part):.0f} |"


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--method", default="frontier")
    parser.add_argument("--probes", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--emulator-seed", type=int)
    parser.add_argument("--without", action="append", choices=[*map(str, SearchPart)], metavar="PART")
    parser.add_argument("--totals", action="store_true")
    return parser.parse_args()


async def main(given: argparse.Namespace, stories: Sequence[Path]) -> None:
    """Search each story with each seed."""
    points = sorted({*(point for point in POINTS if point < given.probes), given.probes})
    left_out = f" without {', '.join(given.without)}" if given.without else ""
    print(f"{given.method}{left_out}, {given.seeds} seeds, {given.jobs} processes; {machine()}\n")
    heads = [f"{point:,} probes" for point in points] + (["any point, %"] if given.totals else ["steps"])
    print(f"| {'stories' if given.totals else 'story'} | {' | '.join(heads)} | seconds |")
    print("| --- |" + " ---: |" * (len(heads) + 1), flush=True)
    every = []
    for path in stories:
        runs = [await measured(path, given, seed) for seed in range(1, given.seeds + 1)]
        every += runs
        if not given.totals:
            print(row(path.stem, runs, points), flush=True)
    if given.totals:
        print("\n".join(shares(every, points, scales(stories))))


if __name__ == "__main__":
    wanted = arguments()
    beside = [path for path in sorted(BESIDE.iterdir()) if path.suffix.startswith(".z")]
    asyncio.run(main(wanted, wanted.stories or beside))
