"""Walks: lists of actions, played in the real emulator, as the steps that the game service would publish."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.beliefs import played
from schemas.game import StepTaken
from services.game.emulator.interpreter.game import Game
from services.game.session.text_only import redacted

SEED = 1


def walk(story: Path, actions: Sequence[str], *, text_only: bool = False) -> list[StepTaken]:
    """Played in a process of its own: the emulator keeps everything in globals."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.sessions.walk", str(story)]
    done = subprocess.run(command, input=json.dumps(actions), capture_output=True, check=True, text=True)
    steps = [StepTaken.model_validate_json(line) for line in done.stdout.splitlines() if line[:1] == "{"]
    return [redacted(step) for step in steps] if text_only else steps


def main() -> None:
    for step in played(Game(Path(sys.argv[1]), SEED), json.load(sys.stdin)):
        print(step.model_dump_json())


if __name__ == "__main__":
    main()
