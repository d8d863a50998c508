"""The memory on the bus: believes at once, keeps the history behind, answers questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from mesh import record
from mesh.errors import InputError
from mesh.fragments import FragmentService, Telling
from mesh.service import Endpoint, Session
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from services.memory.facts import Changes
from services.memory.histories import Histories
from services.memory.history import History
from services.memory.logic import Beliefs, fragment
from services.memory.settings import MemorySettings
from services.memory.store import library_missing

MOST_STEPS = 1_000_000
"""More than any session has."""


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

    def hand_over(self, history: History) -> None:
        """Give the history what it has not been given yet."""
        changes, self.unwritten = self.unwritten, []
        for change in changes:
            history.add(change)


class MemoryService(FragmentService[Remembered]):
    """Keeps what is believed of the world, and when it was."""

    name = "memory"
    version = "1.0.0"

    def __init__(self, directory: Path, settings: MemorySettings | None = None) -> None:
        self._histories = Histories(directory, settings)
        self._states: dict[str, Remembered] = {}
        missing = library_missing(self._histories.settings.store)
        if missing:
            raise InputError(missing)

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
        """The fragment for a step; the history gets its changes."""
        self._states[session.id] = session.state.state
        self._keep(session.id)
        return await super().answer(session, envelope)

    async def search(self, asked: AskMemory) -> MemoryAnswer:
        """The answer to a question about any session of the cell, whether it is being played or over."""
        if asked.session in self._states:
            return await self._keep(asked.session).ask(asked.question)
        return await self._from_the_record(asked)

    async def forgotten(self, session: Session[Telling[Remembered]]) -> None:
        """Finish and close the session's history."""
        self._states.pop(session.id, None)
        await self._histories.close(session.id)

    def _keep(self, session: str) -> History:
        history = self._histories.of(self.bus.cell, session)
        self._states[session].hand_over(history)
        return history

    async def _from_the_record(self, asked: AskMemory) -> MemoryAnswer:
        if await record.started(self.bus, asked.session) is None:
            return MemoryAnswer(answer=f"There is no session {asked.session} in cell {self.bus.cell}.")
        state = Remembered()
        history = self._histories.apart(self.bus.cell, asked.session)
        try:
            async for step in record.steps(self.bus, asked.session, 0, MOST_STEPS):
                state.after(step)
            state.hand_over(history)
            return await history.ask(asked.question)
        finally:
            await history.close()
