"""Builds results of plays, and directories that hold them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lantern.evaluation.results import RESULTS, PlayResult, PlayState


def a_play(
    agent: str = "one", game: str = "cave", seed: int = 1, best: int | None = 10, **more: Any
) -> PlayResult:
    """A play of a story of 100 points; its highest score is also the final one, reached at step 10."""
    regime, budget = more.get("regime", "custom"), more.get("step_budget", 100)
    told = repr((agent, game, seed, regime, budget, more.get("settings")))
    usual: dict[str, Any] = {
        "play": hashlib.blake2b(told.encode(), digest_size=8).hexdigest(),
        "session": f"{game}-{agent}-{seed}",
        "cell": "main",
        "state": PlayState.FINISHED,
        "game": game,
        "story_md5": hashlib.md5(game.encode()).hexdigest(),
        "agent": agent,
        "policy": "heuristic",
        "regime": regime,
        "step_budget": budget,
        "emulator_seed": seed,
        "agent_seed": seed,
        "steps": budget,
        "episodes": 1,
        "opening_score": 0,
        "final_score": best,
        "best_score": best,
        "max_score": 100,
        "score_changes": [(0, 0), (10, best)] if best else [(0, 0)],
        "seconds": 2.0,
    }
    return PlayResult.model_validate(usual | more)


def a_run(directory: Path, plays: Iterable[PlayResult]) -> Path:
    """The directory of a run that holds these plays."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{play.model_dump_json()}\n" for play in plays)
    (directory / RESULTS).write_text(lines)
    return directory
