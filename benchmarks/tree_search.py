"""What the tree searches find with few probes, beside random valid actions: the executed moves' best score.

Usage: python -m benchmarks.tree_search [STORY ...] [--probes 30000] [--seeds 3] [--seconds N]
           [--emulator-seed 1] [--model local] [--model-probes 8000] [--model-seeds 1]

PUCT has a uniform prior. MC-DML, what the paper compares it with, and the agents without a search ask the
model: an answer of a local model takes most of a second on a processor. `--seconds` ends each search, if its
probes do not. The models' answers are kept in a temporary file.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.mesh import machine
from language_model.action_prior.model_prior import PriorCounts
from lantern.play.models.session_models import model_settings
from lantern.play.search.prior import PriorOptions, model_prior
from lantern.play.story_files import load_story
from schemas.language_model import ModelBudget
from search.mcts.inquiries import answers_of
from search.messages import Order
from search.running import SearchRun, SearchState

STORIES = ("detective", "library", "deephome")
FEW: Mapping[str, Any] = {"simulations": 5}
"""Simulations for each valid action where a model is asked; the paper has 50."""
WITHOUT_MODEL: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("random valid actions", "random", {}),
    ("PUCT, 50 simulations", "puct", {}),
    ("PUCT, 5 simulations", "puct", FEW),
    ("PUCT, 5 simulations, fixed depth", "puct", {**FEW, "dynamic_depth": False}),
)
WITH_MODEL: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("the model alone", "model", {}),
    ("the model, reflecting", "reflection", {}),
    ("PUCT, 5 simulations", "puct", FEW),
    ("MC-DML, 5 simulations", "mc-dml", FEW),
    ("without cross-trial memory", "mc-dml", {**FEW, "cross_trial_memory": False}),
    ("without in-trial memory", "mc-dml", {**FEW, "in_trial_memory": False}),
    ("without its memories", "mc-dml", {**FEW, "in_trial_memory": False, "cross_trial_memory": False}),
    ("with a fixed depth", "mc-dml", {**FEW, "dynamic_depth": False}),
)
HEADER = "| story | method | probes | seeds | score, mean (range) | model calls | s |\n|" + " --- |" * 7


@dataclass(frozen=True)
class Searched:
    """A search that was measured."""

    state: SearchState
    seconds: float
    counts: PriorCounts


async def searched(
    story: str, method: str, seed: int, options: Mapping[str, Any], given: argparse.Namespace
) -> Searched:
    probes = given.model_probes if given.model else given.probes
    order = Order("", method, given.emulator_seed, seed, probes, options=dict(options))
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers"
        asking = PriorOptions(model_settings(given.model or "local"), answers, ModelBudget())
        async with model_prior(asking, "The benchmark") as prior:
            began = time.monotonic()
            run = SearchRun(load_story(story), order, answer=answers_of(prior))
            return Searched(await run.run(given.seconds), time.monotonic() - began, prior.counts)


def row(story: str, method: str, runs: list[Searched]) -> str:
    scores = [run.state.score or 0 for run in runs]
    spent = statistics.mean(run.state.spent for run in runs)
    name = Path(story).stem
    told = f"{statistics.mean(scores):.1f} ({min(scores)} to {max(scores)})"
    calls, seconds = (
        statistics.mean(each) for each in zip(*((r.counts.asked, r.seconds) for r in runs), strict=True)
    )
    return f"| {name} | {method} | {spent:,.0f} | {len(runs)} | {told} | {calls:.0f} | {seconds:.0f} |"


async def measure(given: argparse.Namespace) -> None:
    beside = Path(__file__).parents[2] / "shared" / "games"
    methods, seeds = (WITH_MODEL, given.model_seeds) if given.model else (WITHOUT_MODEL, given.seeds)
    print(f"{machine()}\n\n{HEADER}", flush=True)
    for story in given.stories or (str(next(beside.glob(f"{name}.z*"))) for name in STORIES):
        for name, method, options in methods:
            runs = [await searched(story, method, seed, options, given) for seed in range(1, seeds + 1)]
            print(row(story, name, runs), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*")
    parser.add_argument("--probes", type=int, default=30_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, help="end each search, if its probes do not")
    parser.add_argument("--emulator-seed", type=int, default=1)
    parser.add_argument("--model", help="measure the methods that ask a model, with this one")
    parser.add_argument("--model-probes", type=int, default=8_000)
    parser.add_argument("--model-seeds", type=int, default=1)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
