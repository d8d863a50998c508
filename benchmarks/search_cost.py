"""What one search for valid actions costs: processor time of the number of candidates that a story gets.

Usage: python -m benchmarks.search_cost [STORY ...] [--candidates 300] [--states 15]

The states are those of a walk by valid actions, drawn at random. No search is continued from an earlier one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.mesh import machine
from services.game.checked_story import check_story
from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import SearchActions
from services.game.valid_actions.searcher import candidates_in

HEADER = "| story | candidates | tried | ms, median | ms, most |\n| --- | --- | --- | --- | --- |"


def measured(path: Path, candidates: int, states: int) -> str:
    """A row of the table. In this process, which can do so once."""
    story, chance = check_story(path.read_bytes(), path.name), random.Random(1)
    limit = candidates_in(story, candidates)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"{story.md5}{story.suffix}"
        copy.write_bytes(story.data)
        game = Game(copy, 1, clock=time.process_time)
    game.begin()
    tried, costs = [], []
    for _ in range(states):
        began = time.process_time()
        found = game.search(SearchActions((), 0, limit, 3600))
        costs.append(1000 * (time.process_time() - began))
        tried.append(found.tried)
        game.play(chance.choice(found.actions) if found.actions else "wait")
    costs = costs[1:]  # the first reads the story's grammar, once
    median, most = statistics.median(costs), max(costs)
    return f"| {path.stem} | {limit} | {statistics.mean(tried):.0f} | {median:.0f} | {most:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--candidates", type=int, default=300)
    parser.add_argument("--states", type=int, default=15)
    given = parser.parse_args()
    if len(given.stories) == 1:
        print(measured(given.stories[0], given.candidates, given.states))
        return
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    print(f"{machine()}\n\n{HEADER}")
    for story in given.stories or beside:
        options = ("--candidates", str(given.candidates), "--states", str(given.states))
        command = (sys.executable, "-m", "benchmarks.search_cost", str(story), *options)
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)


if __name__ == "__main__":
    main()
