"""An agent from outside in one session, started when it is first needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from mesh.errors import FailureError
from schemas.game import SessionStarted, StepTaken
from services.actor.outside.process import CLASS_HOST, AgentFault, AgentProcess
from services.actor.outside.protocol import (
    AgentAnswer,
    AgentCommand,
    UnusableAnswer,
    answer_in_json,
    answer_in_text,
    as_json,
    as_text,
    proposed,
)


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """What is run: a command, or a class in a file of the user's."""

    name: str
    """As the user has named it."""
    command: tuple[str, ...]
    is_class: bool = False

    @classmethod
    def of_class(cls, name: str, path: str, class_name: str) -> AgentProgram:
        """The program that runs a class of the user's in a process of its own."""
        return cls(name, (sys.executable, "-P", CLASS_HOST, path, class_name), is_class=True)


class AgentFailed(FailureError):
    """An agent from outside cannot go on."""

    def __init__(self, name: str, step: int, what: str) -> None:
        super().__init__(f"The agent {name} failed at step {step}: {what}.")


class OutsideAgent:
    """One agent in one session; each step is told to it once, in order."""

    def __init__(self, program: AgentProgram, started: SessionStarted, seconds: float) -> None:
        self.program, self.started, self._seconds = program, started, seconds
        self._process: AgentProcess | None = None
        self._answered = -1
        self._answer = AgentAnswer("")
        self.over = False
        """Whether the session has ended, so that no answer is needed any more."""

    @property
    def next_step(self) -> int:
        """The first step that it has not been told yet."""
        return self._answered + 1

    async def answer_to(self, step: StepTaken) -> AgentAnswer:
        """Its answer to a step, which it is told unless it has been.

        Raises:
            AgentFailed: it has none.
        """
        if step.step != self._answered:
            self._answer = await self._asked(step)
            self._answered = step.step
        return self._answer

    async def catch_up(self, steps: Sequence[tuple[StepTaken, str]]) -> str:
        """Tell a fresh agent the recorded steps, each with the action that was proposed after it.

        Returns what the record says otherwise than the agent does now; empty: nothing.
        """
        differing = list[str]()
        for step, recorded in steps:
            now = proposed(await self.answer_to(step), self.started, step)
            if now != recorded:
                differing.append(f"step {step.step} with '{now}', not with '{recorded}'")
        if not differing:
            return ""
        return (
            f"the agent is not deterministic: started again, it answered {differing[0]} "
            f"({len(differing)} of {len(steps)} differ); what is recorded counts"
        )

    def stop(self) -> None:
        """The session has ended: an agent that still thinks is killed."""
        self.over = True
        if self._process is not None:
            self._process.kill()

    async def close(self) -> None:
        """End the agent's process."""
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _asked(self, step: StepTaken) -> AgentAnswer:
        try:
            if self._process is None:
                seed = self.started.policy_seed or self.started.seed
                self._process = await AgentProcess.start(self.program.command, seed)
            told = as_json(self.started, step) if self.program.is_class else as_text(step)
            line = await self._process.ask(told, self._seconds)
            answer = answer_in_json(line) if self.program.is_class else answer_in_text(line)
        except (AgentFault, UnusableAnswer, OSError) as error:
            if self._process is not None:
                await self._process.close(grace=0)
            self._process = None
            raise AgentFailed(self.program.name, step.step, str(error)) from error
        if answer.command is AgentCommand.RESTART:
            await self.close()
        return answer
