"""What sessions have taught, as their records say."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from mesh.errors import FailureError, SessionUnknown
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.experience import StoryExperience
from schemas.game import SessionStarted
from services.memory.experience.experience_files import ExperienceError, ExperienceFiles, StoryKey
from services.memory.experience.lessons import Lessons, SessionLessons, lessons_of
from services.memory.graph.store_pool import StorePool
from services.memory.timeline.world_model import WorldModel

RecordedSession = tuple[Bus, str]
"""A session by its cell's bus and its id."""


class ExperienceUnreadable(FailureError):
    """What sessions have taught cannot be put together."""


def learning_world(started: SessionStarted) -> WorldModel:
    """The world model of a session with experience before its first step; others teach nothing."""
    if started.experience is None:
        return WorldModel()
    lessons = Lessons(started.ancestors[-1].step if started.ancestors else -1)
    return WorldModel(lessons, started.experience.reflections)


async def session_lessons(bus: Bus, session: str, at: int, world: WorldModel) -> SessionLessons | None:
    """What a session has taught up to a step; None: nothing is kept of it."""
    if world.lessons is None or at < 1:
        return None
    reflections = await _advice_in(bus, session) or world.failures.sentences
    return lessons_of(session, at, world.lessons, world.beliefs.map, reflections)


async def experience_from(sessions: Iterable[RecordedSession]) -> StoryExperience:
    """What sessions of one story have taught, in their order, as the memory would have kept it.

    Raises:
        SessionUnknown: one is not in the record.
        ExperienceUnreadable: there is no room for the file that it needs for a while.
    """
    with TemporaryDirectory() as directory:
        files, story = (
            ExperienceFiles(Path(directory), StorePool()),
            StoryKey("recorded", "s", text_only=False),
        )
        for bus, session in sessions:
            if (lessons := await _recorded_lessons(bus, session)) is not None:
                try:
                    await files.learn(story, lessons)
                except ExperienceError as error:
                    raise ExperienceUnreadable(str(error)) from error
        answer = await files.known(story)
    if answer.fault:
        raise ExperienceUnreadable(answer.fault)
    return answer.experience


async def _recorded_lessons(bus: Bus, session: str) -> SessionLessons | None:
    started = await bus.reader.started(session)
    if started is None:
        raise SessionUnknown(session)
    world = learning_world(started)
    async for step in bus.reader.steps(session):
        world.after(step)
    return await session_lessons(bus, session, world.last_step, world)


async def _advice_in(bus: Bus, session: str) -> tuple[str, ...]:
    """The sentences in which a model has reflected on the session's failures, whatever the policy."""
    newest = await bus.reader.newest(session, Kind.PROPOSAL)
    mind = newest.body.mind if newest and isinstance(newest.body, ActionProposed) else None
    return mind.advice if mind else ()
