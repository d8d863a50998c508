"""The memory on the bus: believes at once, answers from memory, keeps the history behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from mesh.errors import InputError
from mesh.metrics import Count
from mesh.runner.fragments import FragmentService, FragmentState
from mesh.runner.service import Endpoint, Session
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from schemas.memory import Asked, AskMemory, MemoryAnswer
from services.memory.beliefs.facts import Changes
from services.memory.history.histories import Histories
from services.memory.history.history import BeliefHistory
from services.memory.logic import World, fragment
from services.memory.metrics import ASKED
from services.memory.questions.answers import ANSWERS, QUESTION_OF, answer
from services.memory.questions.in_words import answer_words
from services.memory.questions.parsing import Question
from services.memory.recorded_sessions import Recorded
from services.memory.settings import MemorySettings
from services.memory.store import library_missing


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

    def hand_over(self, history: BeliefHistory) -> None:
        """Give the history what it has not been given yet."""
        changes, self.unwritten = self.unwritten, []
        for change in changes:
            history.add(change)


class MemoryService(FragmentService[Remembered]):
    """Keeps what is believed of the world, and when it was."""

    name = "memory"
    version = "1.0.0"

    def __init__(self, directory: Path, settings: MemorySettings | None = None) -> None:
        self._histories = Histories(directory, settings, self._noted)
        self._states: dict[str, Remembered] = {}
        self._over = Recorded()
        missing = library_missing(self._histories.settings.store)
        if missing:
            raise InputError(missing)

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions in words, and typed ones."""
        typed: dict[str, Endpoint] = {verb: (question, self.tell) for verb, question in QUESTION_OF.items()}
        return {"search": (AskMemory, self.search), **typed}

    def initial_state(self, started: SessionStarted) -> Remembered:
        """Nothing is known of a session that has just started."""
        return Remembered()

    def fragment_for(self, state: Remembered) -> Fragment | None:
        """The room's state and the beliefs."""
        return fragment(state.beliefs)

    async def answer(
        self, session: Session[FragmentState[Remembered]], envelope: Envelope
    ) -> Sequence[Message]:
        """The fragment for a step; the history gets its changes."""
        self._states[session.id] = session.state.state
        self._keep(session.id)
        return await super().answer(session, envelope)

    async def search(self, asked: AskMemory) -> MemoryAnswer:
        """The answer in words to a question about any session of the cell, being played or over."""
        world = await self._world_of(asked)
        return self._unknown(asked) if world is None else answer_words(asked, world)

    async def tell(self, asked: Question) -> MemoryAnswer:
        """The answer to a typed question."""
        world = await self._world_of(asked)
        return self._unknown(asked, ANSWERS[type(asked)]) if world is None else answer(asked, world)

    async def forgotten(self, session: Session[FragmentState[Remembered]]) -> None:
        """Finish and close the session's history."""
        self._states.pop(session.id, None)
        await self._histories.close(session.id)

    def _noted(self, what: Count) -> None:
        self.bus.telemetry.meter.of(what).inc()

    def _keep(self, session: str) -> None:
        self._states[session].hand_over(self._histories.of(self.bus.cell.name, session))

    async def _world_of(self, asked: Asked) -> World | None:
        """What is known of a session; None: there is none of that id in the cell."""
        self.bus.telemetry.meter.of(ASKED).inc()
        return self._states.get(asked.session) or await self._over.world(self.bus, asked.session)

    def _unknown(self, asked: Asked, kind: type[MemoryAnswer] = MemoryAnswer) -> MemoryAnswer:
        return kind(answer=f"There is no session {asked.session} in cell {self.bus.cell.name}.", known=False)
