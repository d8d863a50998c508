"""Questions in words, answered in words."""

from __future__ import annotations

from schemas.memory import AskMemory, AskRoute, AskWhereIs, MemoryAnswer
from services.memory.beliefs.facts import EntityKind
from services.memory.beliefs.world import World
from services.memory.questions import wording
from services.memory.questions.answers import answer
from services.memory.questions.parsing import KNOWN_QUESTIONS, Question, understood


def answer_words(asked: AskMemory, world: World) -> MemoryAnswer:
    """The answer in words to a question in words. Never raises."""
    question = understood(asked)
    if question is None:
        known = "; ".join(KNOWN_QUESTIONS)
        told = f"I do not understand {wording.cut(asked.question, 100)!r}. Ask one of: {known}."
        return MemoryAnswer(answer=told, known=False)
    found = answer(_meant(question, world), world)
    return MemoryAnswer(answer=found.answer, steps=found.steps, known=found.known, by_text=found.by_text)


def _meant(question: Question, world: World) -> Question:
    """Where a room is, is how to get there."""
    if not isinstance(question, AskWhereIs):
        return question
    names, asked = world.recall.names, question.thing
    exactly = names.knows(asked, EntityKind.ROOM) and not names.knows(asked, EntityKind.ITEM)
    is_thing = not exactly and names.called(asked, EntityKind.ITEM, question.at)
    if is_thing or not names.called(asked, EntityKind.ROOM, question.at):
        return question
    return AskRoute(session=question.session, at=question.at, goal=asked)
