"""Questions in words, answered in words."""

from __future__ import annotations

import re
from dataclasses import replace

from schemas.memory import AskExits, AskMemory, AskRoute, AskTried, AskWhatHappened, AskWhereIs, MemoryAnswer
from services.memory.beliefs.facts import EntityKind
from services.memory.questions import own_words, past, sentences
from services.memory.questions.answers import answer, dated
from services.memory.questions.lookup import Asked, rooms_named, things_named
from services.memory.questions.own_words import from_texts
from services.memory.questions.parsing import Question, asked_words, name_in, parse_question
from services.memory.texts.meaning import Similarities, similarities
from services.memory.timeline.world_model import WorldModel

_PATTERNS = tuple(
    (re.compile(text, re.I | re.S), answerer) for text, answerer in (*own_words.QUESTIONS, *past.QUESTIONS)
)


def answer_free_text(asked: AskMemory, world: WorldModel, alike: Similarities = similarities) -> MemoryAnswer:
    """The answer in words to a question in words. Raises nothing but what `alike` raises.

    It is answered by what was read and done; else by a typed question; else by the texts nearest to it.
    """
    words, at = asked_words(asked)
    if at is not None and at > world.last_step:
        return MemoryAnswer(answer=sentences.no_such_step(at, world.last_step), known=False)
    at = None if at == world.last_step else at
    typed, found = parse_question(asked), _in_own_words(Asked(words, at, alike=alike), world)
    if found is None and typed is not None:
        found = answer(_route_if_room(typed, world), world)
    if found is None or not (found.known or _can_be_relied_on(typed, world)):
        nearest = dated(from_texts(Asked(words, at, alike=alike), world), at)
        if found is None:
            found = nearest
        elif nearest.known:
            found = _both(found, nearest, typed)
    return MemoryAnswer(answer=found.answer, steps=found.steps, known=found.known, by_text=found.by_text)


def _in_own_words(asked: Asked, world: WorldModel) -> MemoryAnswer | None:
    for pattern, answerer in _PATTERNS:
        if match := pattern.fullmatch(asked.question):
            parts = {name: name_in(text) or "" for name, text in match.groupdict().items()}
            if found := answerer(
                replace(
                    asked,
                    about=parts.get("about", ""),
                    topic=parts.get("topic", ""),
                    verb=parts.get("verb", ""),
                ),
                world,
            ):
                return dated(found, asked.at)
    return None


def _both(unknown: MemoryAnswer, nearest: MemoryAnswer, question: Question | None) -> MemoryAnswer:
    """What is not known, with the texts that may help: a text may speak of a thing that no step listed."""
    if isinstance(question, AskWhatHappened):
        return nearest
    lead = sentences.unknown_place(question.thing) if isinstance(question, AskWhereIs) else unknown.answer
    return nearest.model_copy(update={"answer": f"{lead}\n{nearest.answer}"})


def _can_be_relied_on(question: Question | None, world: WorldModel) -> bool:
    """Whether a question names only what has been met, so that it has happened nowhere if nothing is known.

    What somebody has said may stand in a text that nobody asked for.
    """
    match question:
        case AskWhatHappened(topic=topic) if topic is not None:
            return False
        case AskWhereIs(thing=name) | AskWhatHappened(about=name):
            return bool(things_named(name, world, question.at))
        case AskRoute(goal=goal, start=start):
            return all(rooms_named(room, world, question.at) for room in (goal, start))
        case AskExits(room=room) | AskTried(room=room):
            return bool(rooms_named(room, world, question.at))
    return question is not None


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
