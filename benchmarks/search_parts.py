"""What each part of the frontier search adds: searches with all parts, beside searches without one, paired.

Usage: python -m benchmarks.search_parts [STORY ...] [--probes 20000] [--seeds 1,2] [--jobs 2] [--parts NAMES]

Without a story: every story beside the repository (`../shared/games`). Points are counted beyond the
opening's, in percent of the most that any search of the same table has found in the story; a story in which
none has found a point counts as 0 throughout. Of the odd stories only totals are printed. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks.ablation import Shares, added, even_and_odd, head_of
from benchmarks.behaviours import BESIDE, seeds_in
from benchmarks.mesh import machine
from benchmarks.search import WALKTHROUGH_SEEDS, Scale, scales
from lantern.play.search.rule_player import play_before
from search.frontier.parts import SearchPart
from search.messages import Order
from search.running import SearchRun
from zmachine.story_file import story_of

Found = Mapping[tuple[str, object], int]
"""The points beyond the opening's, by story and seed."""


@dataclass(frozen=True)
class Searches:
    """Searches of the same stories, with the same seeds and probes."""

    stories: Mapping[Path, bytes]
    scales: Mapping[Path, Scale]
    given: argparse.Namespace
    limit: asyncio.Semaphore

    async def found(self, without: Iterable[SearchPart] = ()) -> Found:
        """Search each story with each seed."""
        pairs = list(product(self.stories, self.given.seeds))
        gained = await asyncio.gather(*(self._gained(*pair, list(without)) for pair in pairs))
        found = zip(pairs, gained, strict=True)
        return {(_md5(self.stories[path]), seed): points for (path, seed), points in found}

    async def _gained(self, path: Path, seed: int, without: list[SearchPart]) -> int:
        emulator_seed = WALKTHROUGH_SEEDS.get(path.stem, 0)
        order = Order("", "frontier", emulator_seed, seed, self.given.probes, {"without": without})
        async with self.limit:
            search = SearchRun(story_of(self.stories[path]), order)
            await play_before(search)
            state = await search.run()
        return 0 if state.score is None else state.score - self.scales[path].opening


async def main(given: argparse.Namespace, stories: Mapping[Path, bytes]) -> None:
    """Search, and print the table."""
    searches = Searches(stories, scales(stories), given, asyncio.Semaphore(given.jobs))
    full = await searches.found()
    lacking = {part: await searches.found([part]) for part in given.parts}
    most = dict.fromkeys(map(_md5, stories.values()), 0)
    for runs in (full, *lacking.values()):
        for (md5, _), points in runs.items():
            most[md5] = max(most[md5], points)
    print(f"{given.probes} probes, seeds {', '.join(map(str, given.seeds))}; {machine()}\n")
    print(f"All parts: {described(_shares(full, most))}.", end=" ")
    print(f"In {sum(map(bool, most.values()))} of {len(most)} stories any search has found points.\n")
    print("\n".join(head_of("part")))
    for part, runs in lacking.items():
        print(added(part, _shares(full, most), _shares(runs, most)))


def described(shares: Shares) -> str:
    """The means over all stories, the even and the odd ones."""
    keys = even_and_odd(shares, lambda key: key[0])
    even, odd = ([shares[key] for key in part] for part in keys)
    means = (("all", [*even, *odd]), ("even", even), ("odd", odd))
    return ", ".join(f"{name} {fmean(part):.1f} %" for name, part in means if part)


def _shares(runs: Found, most: Mapping[str, int]) -> Shares:
    return {key: 100.0 * points / (most[key[0]] or 1) for key, points in runs.items()}


def _md5(story: bytes) -> str:
    return hashlib.md5(story, usedforsecurity=False).hexdigest()


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--probes", type=int, default=20_000)
    parser.add_argument("--seeds", type=seeds_in, default=(1, 2))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--parts",
        type=lambda text: tuple(map(SearchPart, text.split(","))),
        default=tuple(SearchPart),
        metavar="NAMES",
    )
    return parser.parse_args()


if __name__ == "__main__":
    wanted = arguments()
    paths = wanted.stories or sorted(path for path in BESIDE.iterdir() if path.suffix.startswith(".z"))
    asyncio.run(main(wanted, {path: path.read_bytes() for path in paths}))
