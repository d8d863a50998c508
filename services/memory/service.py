"""The memory on the bus: folds steps, answers questions, and keeps what sessions teach."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import structlog

from mesh.errors import InputError
from mesh.metrics import Count
from mesh.runner.fragments import FragmentService, FragmentState
from mesh.runner.service import Endpoint, Session
from schemas.experience import AskExperience, ExperienceAnswer, ExperienceForgotten, ForgetExperience
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from schemas.memory import AskMemory, MemoryAnswer, MemoryQuestion
from services.memory.experience.experience_files import ExperienceError, ExperienceFiles, StoryKey
from services.memory.experience.recorded_lessons import learning_world, session_lessons
from services.memory.graph.recorded_sessions import RecordedWorlds
from services.memory.graph.store_pool import StorePool
from services.memory.logic import WorldModel, fragment
from services.memory.metrics import QUESTIONS_ANSWERED
from services.memory.questions.answers import ANSWERS, QUESTIONS, answer
from services.memory.questions.free_text import answer_free_text
from services.memory.questions.parsing import Question
from services.memory.settings import MemorySettings, memory_settings
from services.memory.store import library_missing
from services.memory.texts.meaning import VectorsMissing, known_similarities, learn

log = structlog.get_logger()

TRIES = 3

MemorySession = Session[FragmentState[WorldModel], None]


class MemoryService(FragmentService[WorldModel, None]):
    """Keeps the beliefs about each session's world, and everything that was believed and read."""

    name = "memory"
    version = "1.0.0"

    def __init__(self, directory: Path, settings: MemorySettings | None = None) -> None:
        settings = settings or memory_settings()
        self._experience = ExperienceFiles(directory, StorePool(settings))
        self._recorded = RecordedWorlds()
        missing = library_missing(settings.store)
        if missing:
            raise InputError(missing)

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions in words, typed ones, and those about earlier sessions of a story."""
        typed: dict[str, Endpoint] = {
            verb: (question, self.answer_typed) for verb, question in QUESTIONS.items()
        }
        experience: dict[str, Endpoint] = {
            "experience": (AskExperience, self.tell_experience),
            "forget": (ForgetExperience, self.forget_experience),
        }
        return {"search": (AskMemory, self.search), **typed, **experience}

    def initial_state(self, started: SessionStarted) -> WorldModel:
        """Nothing is known of a session that has just started."""
        return learning_world(started)

    def fragment_for(self, state: WorldModel) -> Fragment | None:
        """The room's state and the beliefs."""
        return fragment(state.beliefs, state.failures.text)

    async def search(self, asked: AskMemory, session: MemorySession | None) -> MemoryAnswer:
        """The answer in words to a question about any session of the cell, live or over."""
        world = await self._world_of(asked, session)
        if world is None:
            return self._no_session(asked)
        for _ in range(TRIES):  # the session may go on while vectors are computed
            try:
                return answer_free_text(asked, world, known_similarities)
            except VectorsMissing as missing:
                await asyncio.to_thread(learn, missing.sentences)
        return answer_free_text(asked, world)

    async def answer_typed(self, asked: Question, session: MemorySession | None) -> MemoryAnswer:
        """The answer to a typed question."""
        world = await self._world_of(asked, session)
        return self._no_session(asked, ANSWERS[type(asked)]) if world is None else answer(asked, world)

    async def tell_experience(self, asked: AskExperience, _: MemorySession | None) -> ExperienceAnswer:
        """What earlier sessions of a story have taught."""
        return await self._experience.known(StoryKey(self.bus.cell.name, asked.story_md5, asked.text_only))

    async def forget_experience(
        self, asked: ForgetExperience, _: MemorySession | None
    ) -> ExperienceForgotten:
        """Forget what earlier sessions of a story have taught."""
        return await self._experience.forget(self.bus.cell.name, asked.story_md5)

    async def close_session(self, session: MemorySession) -> None:
        """Keep what the session has taught: what is learned again of the same session counts once."""
        lessons = await session_lessons(self.bus, session.id, session.at, session.state.state)
        if lessons is None:
            return
        story = StoryKey(self.bus.cell.name, session.started.story_md5, session.started.text_only)
        try:
            fault = await self._experience.learn(story, lessons)
        except ExperienceError as error:
            fault = str(error)
        if fault:
            log.warning("experience_faulty", session=session.id, fault=fault)

    def _count(self, what: Count) -> None:
        self.bus.telemetry.meter.of(what).inc()

    async def _world_of(self, asked: MemoryQuestion, session: MemorySession | None) -> WorldModel | None:
        """The world model of a session; None: the cell has no session of that id."""
        self._count(QUESTIONS_ANSWERED)
        return session.state.state if session else await self._recorded.world(self.bus, asked.session)

    def _no_session(self, asked: MemoryQuestion, kind: type[MemoryAnswer] = MemoryAnswer) -> MemoryAnswer:
        return kind(answer=f"There is no session {asked.session} in cell {self.bus.cell.name}.", known=False)
