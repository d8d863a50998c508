"""The memory on the bus: believes at once, keeps the history behind, answers questions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import structlog

from mesh import record
from mesh.fragments import FragmentService, Telling
from mesh.service import Endpoint, Session
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from services.memory.facts import Changes
from services.memory.graph import GraphError, Outcome
from services.memory.history import History
from services.memory.logic import Beliefs, fragment
from services.memory.metrics import ASKED, LOST, REBUILT

MOST_STEPS = 1_000_000
"""More than any session has."""

log = structlog.get_logger()


class Remembered:
    """What is believed, and what of it the history has not been given yet."""

    def __init__(self) -> None:
        self.beliefs = Beliefs()
        self.unwritten: list[Changes] = []

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        before = self.beliefs.changes
        self.beliefs.after(step)
        if (changes := self.beliefs.changes) is not None and changes is not before:
            self.unwritten.append(changes)
        return self


class MemoryService(FragmentService[Remembered]):
    """Keeps what is believed of the world, and when it was."""

    name = "memory"
    version = "1.0.0"

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._histories: dict[str, History] = {}
        self._states: dict[str, Remembered] = {}
        self._without: set[str] = set()
        self._one_writer = asyncio.Lock()

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions in words."""
        return {"search": (AskMemory, self.search)}

    def begin(self, started: SessionStarted) -> Remembered:
        """Nothing is known of a session that has just started."""
        return Remembered()

    def says(self, state: Remembered) -> Fragment | None:
        """The room's state and the beliefs."""
        return fragment(state.beliefs)

    async def answer(self, session: Session[Telling[Remembered]], envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step; the history gets its changes, and its failure stops no game."""
        said = await super().answer(session, envelope)
        try:
            await self._write(session.id, session.state.state)
        except GraphError as error:
            self._do_without(session.id, error)
        return said

    async def search(self, asked: AskMemory) -> MemoryAnswer:
        """The answer to a question about any session of the cell, whether it is being played or over."""
        self.bus.insight.meter.of(ASKED).inc()
        try:
            if (history := self._histories.get(asked.session)) is not None:
                await self._write(asked.session, self._states[asked.session])
                return await history.ask(asked.question)
            return await self._from_the_record(asked)
        except GraphError as error:
            return MemoryAnswer(answer=str(error))

    async def forgotten(self, session: Session[Telling[Remembered]]) -> None:
        """Finish and close the session's history."""
        self._states.pop(session.id, None)
        self._without.discard(session.id)
        if (history := self._histories.pop(session.id, None)) is not None:
            await history.close()

    async def _write(self, session: str, state: Remembered) -> None:
        self._states[session] = state
        changes, state.unwritten = state.unwritten, []
        if session in self._without:
            return
        async with self._one_writer:
            if session not in self._histories:
                self._histories[session] = await self._opened(session)
            history = self._histories[session]
        for change in changes:
            await history.add(change)
        if history.error is not None:
            raise history.error

    def _do_without(self, session: str, error: GraphError) -> None:
        if session not in self._without:
            self._without.add(session)
            self.bus.insight.meter.of(LOST).inc()
            log.error("history_lost", error=str(error))

    async def _opened(self, session: str) -> History:
        directory = self.directory / self.bus.cell
        directory.mkdir(parents=True, exist_ok=True)
        history = await History.open(directory, session)
        if history.opening.outcome is Outcome.REBUILT:
            self.bus.insight.meter.of(REBUILT).inc()
            log.warning("graph_rebuilt", path=str(history.opening.path), reason=history.opening.reason)
        return history

    async def _from_the_record(self, asked: AskMemory) -> MemoryAnswer:
        if await record.started(self.bus, asked.session) is None:
            return MemoryAnswer(answer=f"There is no session {asked.session} in cell {self.bus.cell}.")
        state = Remembered()
        history = await self._opened(asked.session)
        try:
            async for step in record.steps(self.bus, asked.session, 0, MOST_STEPS):
                state.after(step)
            for change in state.unwritten:
                await history.add(change)
            return await history.ask(asked.question)
        finally:
            await history.close()
