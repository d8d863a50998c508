"""How many steps per second an evaluation takes in all, and what it costs over bare sessions.

Usage: python -m benchmarks.evaluation [STORY] [--policy P] [--plays N] [--steps N] [--jobs N] [--rounds N]

Each round plays the same text-only sessions twice, in fresh homes and in turn: bare (as many processes as
jobs, each playing its share one after another over one embedded server) and as an evaluation. Both times are
from the first start of a process to the last result, so they include the starts of Python. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from benchmarks.mesh import default_story, machine
from lantern.evaluation.coordinator import Coordinator
from lantern.evaluation.environment import environment_of
from lantern.evaluation.plan import Agent, Plan, PlannedPlay, Regime
from lantern.evaluation.planning.games import games_named
from lantern.evaluation.playing import EndView, services_without
from lantern.evaluation.progress import NoProgress
from lantern.evaluation.run_directory import Run, RunDirectory
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from mesh.log import log_to_file
from mesh.settings import MeshSettings


def run_of(story: str, policy: str, plays: int, steps: int) -> Run:
    """The plays that are measured."""
    games = games_named([story])
    agents = (Agent(name=policy, policy=policy),)
    regime = Regime(steps=steps, text_only=True)
    plan = Plan(games=(story,), agents=agents, seeds=tuple(range(1, plays + 1)), regime=regime)
    return Run(run="0" * 8, plan=plan, games=games)


def bare(home: Path, number: int, plays: list[PlannedPlay]) -> None:
    """Play sessions one after another in this process."""
    with log_to_file(home / f"bare-{number}.log"), environment_of({}):
        for each in plays:
            options = PlayOptions(
                each.game.path,
                each.regime.steps,
                each.agent.policy,
                each.seed,
                each.session,
                each.cell,
                text_only=True,
                without=services_without(each),
            )
            asyncio.run(play(options, checked_story(options), MeshSettings(home=home), EndView()))


async def bare_seconds(run: Run, jobs: int) -> float:
    """The wall time of bare sessions."""
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        async with embedded_nats(home):
            began = time.monotonic()
            shares = [(home, number, run.plays[number::jobs]) for number in range(jobs)]
            with get_context("spawn").Pool(jobs) as pool:
                await asyncio.to_thread(pool.starmap, bare, shares, 1)
            return time.monotonic() - began


async def evaluated_seconds(run: Run, jobs: int) -> float:
    """The wall time of the same as an evaluation."""
    with tempfile.TemporaryDirectory() as directory:
        settings, results = MeshSettings(home=Path(directory) / "home"), RunDirectory(Path(directory) / "run")
        os.environ["LANTERN_HOME"] = str(settings.home)
        async with embedded_nats(settings.home):
            results.begin(run)
            began = time.monotonic()
            await Coordinator(results, run, settings, jobs, NoProgress()).play()
            seconds = time.monotonic() - began
        assert [each.steps for each in results.results()] == [run.plan.regime.steps] * len(run.plays)
        return seconds


def measured(run: Run, jobs: int) -> tuple[float, float]:
    """Bare, and as an evaluation."""
    return asyncio.run(bare_seconds(run, jobs)), asyncio.run(evaluated_seconds(run, jobs))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--policy", default="random")
    parser.add_argument("--plays", type=int, default=6)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    run = run_of(given.story, given.policy, given.plays, given.steps)
    load = os.getloadavg()[0]
    rounds = [measured(run, given.jobs) for _ in range(given.rounds)]
    steps = given.plays * given.steps
    print(f"{machine()}, load {load:.1f} at the beginning\n")
    told = f"{Path(given.story).name}, {given.policy}, text only: {given.plays} plays of {given.steps} steps"
    print(f"{told}, {given.jobs} jobs, {given.rounds} rounds:\n")
    print("| | steps/s in all, median | least | greatest |")
    print("| --- | --- | --- | --- |")
    for name, seconds in zip(("bare sessions", "evaluation"), zip(*rounds, strict=True), strict=True):
        rates = [steps / each for each in seconds]
        print(f"| {name} | {median(rates):.0f} | {min(rates):.0f} | {max(rates):.0f} |")
    overheads = [100 * (evaluated / alone - 1) for alone, evaluated in rounds]
    told = f"{min(overheads):.1f} to {max(overheads):.1f} %"
    print(
        f"\nTime of an evaluation over bare sessions, median of rounds: {median(overheads):.1f} % ({told})."
    )


if __name__ == "__main__":
    main()
