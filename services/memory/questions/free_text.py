"""Questions in words, answered in words."""

from __future__ import annotations

from schemas.memory import AskMemory, AskRoute, AskWhereIs, MemoryAnswer
from services.memory.beliefs.facts import EntityKind
from services.memory.questions import sentences
from services.memory.questions.answers import answer
from services.memory.questions.parsing import KNOWN_QUESTIONS, Question, parse_question
from services.memory.timeline.world_model import WorldModel


def answer_free_text(asked: AskMemory, world: WorldModel) -> MemoryAnswer:
    """The answer in words to a question in words. Never raises."""
    question = parse_question(asked)
    if question is None:
        known = "; ".join(KNOWN_QUESTIONS)
        text = f"I do not understand {sentences.cut(asked.question, 100)!r}. Ask one of: {known}."
        return MemoryAnswer(answer=text, known=False)
    found = answer(_route_if_room(question, world), world)
    return MemoryAnswer(answer=found.answer, steps=found.steps, known=found.known, by_text=found.by_text)


def _route_if_room(question: Question, world: WorldModel) -> Question:
    """`where is ROOM` asks for the route to it."""
    if not isinstance(question, AskWhereIs):
        return question
    names, name = world.index.names, question.thing
    is_room = names.has_exactly(name, EntityKind.ROOM) and not names.has_exactly(name, EntityKind.ITEM)
    is_thing = not is_room and names.find(name, EntityKind.ITEM, question.at)
    if is_thing or not names.find(name, EntityKind.ROOM, question.at):
        return question
    return AskRoute(session=question.session, at=question.at, goal=name)
