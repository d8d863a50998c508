"""The memory on the bus: believes at once, answers from memory, keeps the history behind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import structlog

from mesh.fragments import FragmentService, Telling
from mesh.service import Endpoint, Session
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from schemas.memory import Asked, AskMemory, MemoryAnswer
from services.memory.answers import ANSWERS, QUESTION_OF, answer, answer_words
from services.memory.facts import Changes
from services.memory.graph import GraphError, Outcome
from services.memory.history import History
from services.memory.logic import World, fragment
from services.memory.questions import Question
from services.memory.recorded import Recorded

log = structlog.get_logger()


class Remembered(World):
    """What is believed, and what of it the history has not been given yet."""

    def __init__(self) -> None:
        super().__init__()
        self.unwritten: list[Changes] = []

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        before = self.beliefs.changes
        super().after(step)
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
        self._played: dict[str, World] = {}
        self._over = Recorded()
        self._without: set[str] = set()
        self._one_writer = asyncio.Lock()

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions in words, and typed ones."""
        typed: dict[str, Endpoint] = {verb: (question, self.tell) for verb, question in QUESTION_OF.items()}
        return {"search": (AskMemory, self.search), **typed}

    def begin(self, started: SessionStarted) -> Remembered:
        """Nothing is known of a session that has just started."""
        return Remembered()

    def says(self, state: Remembered) -> Fragment | None:
        """The room's state and the beliefs."""
        return fragment(state.beliefs)

    async def answer(self, session: Session[Telling[Remembered]], envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step; the history gets its changes, and its failure stops no game."""
        said = await super().answer(session, envelope)
        self._played[session.id] = session.state.state
        try:
            await self._write(session.id, session.state.state)
        except GraphError as error:
            self._do_without(session.id, error)
        return said

    async def search(self, asked: AskMemory) -> MemoryAnswer:
        """The answer in words to a question about any session of the cell, being played or over."""
        world = await self._world_of(asked)
        return self._unknown(asked) if world is None else answer_words(asked, world)

    async def tell(self, asked: Question) -> MemoryAnswer:
        """The answer to a typed question."""
        world = await self._world_of(asked)
        return self._unknown(asked, ANSWERS[type(asked)]) if world is None else answer(asked, world)

    async def forgotten(self, session: Session[Telling[Remembered]]) -> None:
        """Finish and close the session's history."""
        self._played.pop(session.id, None)
        self._without.discard(session.id)
        if (history := self._histories.pop(session.id, None)) is not None:
            await history.close()

    async def _write(self, session: str, state: Remembered) -> None:
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
            log.error("history_lost", error=str(error))

    async def _opened(self, session: str) -> History:
        directory = self.directory / self.bus.cell
        directory.mkdir(parents=True, exist_ok=True)
        history = await History.open(directory, session)
        if history.opening.outcome is Outcome.REBUILT:
            log.warning("graph_rebuilt", path=str(history.opening.path), reason=history.opening.reason)
        return history

    async def _world_of(self, asked: Asked) -> World | None:
        """What is known of a session; None: there is none of that id in the cell."""
        return self._played.get(asked.session) or await self._over.world(self.bus, asked.session)

    def _unknown(self, asked: Asked, kind: type[MemoryAnswer] = MemoryAnswer) -> MemoryAnswer:
        return kind(answer=f"There is no session {asked.session} in cell {self.bus.cell}.", known=False)
