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


class WalkFailed(Exception):
    """The process in which a walk is played has ended with an error."""

    def __init__(self, story: Path, code: int, said: str) -> None:
        super().__init__(f"The walk through {story.name} ended with exit status {code}: {said}")


def walk(story: Path, actions: Sequence[str], *, text_only: bool = False) -> list[StepTaken]:
    """Played in a process of its own: the emulator keeps everything in globals.

    Raises:
        WalkFailed: with the last line that the process said.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.sessions.walk", str(story)]
    done = subprocess.run(command, input=json.dumps(actions), capture_output=True, text=True)
    if done.returncode:
        raise WalkFailed(story, done.returncode, (done.stderr.splitlines() or ["nothing"])[-1])
    steps = [StepTaken.model_validate_json(line) for line in done.stdout.splitlines() if line[:1] == "{"]
    return [redacted(step) for step in steps] if text_only else steps


def main() -> None:
    for step in played(Game(Path(sys.argv[1]), SEED), json.load(sys.stdin)):
        print(step.model_dump_json())


if __name__ == "__main__":
    main()
