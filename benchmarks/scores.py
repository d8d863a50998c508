"""What the policies score, story by story, through the whole mesh.

Usage: python -m benchmarks.scores [STORY ...] [--steps N] [--seeds 1,2,3]

Without a story: the bundled game, and every story beside the repository (`../shared/games`). Prints Markdown:
the best score of a session (the score at the opening is not taken off), as the mean over the seeds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.behaviours import seeds_in
from benchmarks.mesh import machine
from lantern.nats.connection import nats_url
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.log import log_to_file
from mesh.settings import MeshSettings

REGIMES = (("heuristic", True), ("heuristic", False), ("random", False))
"""Policy, and whether it is told valid actions."""


async def scored(
    story: str, policy: str, valid_actions: bool, seed: int, steps: int, settings: MeshSettings
) -> Any:
    """The counts of one session."""
    name = f"{Path(story).stem}-{policy}-{valid_actions}-{seed}"
    wish = PlayOptions(story, steps, policy, seed, name, "main", valid_actions)
    return (await play(wish, checked_story(wish), settings, SilentView())).as_json()


async def row(story: str, seeds: list[int], steps: int, settings: MeshSettings) -> str:
    """One story in all regimes."""
    cells, most, degraded = [], "?", 0
    for policy, valid_actions in REGIMES:
        counts = [await scored(story, policy, valid_actions, seed, steps, settings) for seed in seeds]
        best = [each["best_score"] for each in counts if each["best_score"] is not None]
        cells.append(f"{statistics.mean(best):.1f}" if best else "?")
        most, degraded = counts[0]["max_score"], degraded + sum(each["degraded_steps"] for each in counts)
    return f"| {Path(story).stem} ({most}) | {' | '.join(cells)} | {degraded} |"


async def measure(stories: list[str], seeds: list[int], steps: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        settings = MeshSettings(home=Path(directory))
        with log_to_file(settings.home / "lantern.log"):
            async with nats_url(settings):
                for story in stories:
                    print(await row(story, seeds, steps, settings), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seeds", type=seeds_in, default=(1, 2, 3))
    given = parser.parse_args()
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    stories = given.stories or ["bundled", *map(str, beside)]
    seeds = ",".join(map(str, given.seeds))
    print(f"best score in {given.steps} steps, mean of seeds {seeds}; {machine()}\n")
    print("| story (maximum) | heuristic | heuristic, no valid actions | random | degraded steps |")
    print("| --- | --- | --- | --- | --- |")
    asyncio.run(measure(stories, given.seeds, given.steps))


if __name__ == "__main__":
    main()
