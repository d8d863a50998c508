"""A sub-agent for the tests: its process does not survive the second step."""

from __future__ import annotations

import os
import signal

from mesh.runner.fragments import FragmentService
from schemas.game import SessionStarted, StepTaken


class Steps:
    """All steps that were folded."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def after(self, step: StepTaken) -> Steps:
        if step.step == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        self.numbers.append(step.step)
        return self


class Deadly(FragmentService[Steps]):
    """Says which steps there were."""

    name = "deadly"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Steps:
        return Steps()

    def fragment_for(self, state: Steps) -> str:
        return f"steps {state.numbers}"
