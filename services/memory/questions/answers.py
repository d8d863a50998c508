"""The answer to a typed question."""

from __future__ import annotations

from typing import assert_never

from schemas.memory import (
    ANSWER_LENGTH,
    AskExits,
    AskInventory,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
    EventsAnswer,
    ExitsAnswer,
    InventoryAnswer,
    LocationAnswer,
    MemoryAnswer,
    RoomAnswer,
    RouteAnswer,
    TriedAnswer,
)
from services.memory.questions import exit_answers, location_answers, sentences
from services.memory.questions.parsing import Question
from services.memory.timeline.world_model import WorldModel

ANSWERS: dict[type[Question], type[MemoryAnswer]] = {
    AskWhereAmI: RoomAnswer,
    AskInventory: InventoryAnswer,
    AskExits: ExitsAnswer,
    AskNearestUnexplored: RouteAnswer,
    AskWhereIs: LocationAnswer,
    AskWhatHappened: EventsAnswer,
    AskRoute: RouteAnswer,
    AskTried: TriedAnswer,
}
"""The type of the answer to each question."""
QUESTIONS: dict[str, type[Question]] = {
    "where_am_i": AskWhereAmI,
    "inventory": AskInventory,
    "exits": AskExits,
    "nearest_unexplored": AskNearestUnexplored,
    "where_is": AskWhereIs,
    "happened": AskWhatHappened,
    "route": AskRoute,
    "tried": AskTried,
}
"""By the verb of its subject on the bus."""


def answer(question: Question, world: WorldModel) -> MemoryAnswer:
    """The answer; where nothing is known, it says so. Never raises."""
    if question.at is not None and question.at > world.last_step:
        text = sentences.no_such_step(question.at, world.last_step)
        return ANSWERS[type(question)](answer=text, known=False)
    if question.at == world.last_step:
        question = question.model_copy(update={"at": None})
    return dated(_answer(question, world), question.at)


def dated(found: MemoryAnswer, at: int | None) -> MemoryAnswer:
    """An answer that names the step after which it held, cut to the length of a message."""
    text = found.answer if at is None else f"After step {at}: {found.answer}"
    if len(text) > ANSWER_LENGTH:
        text = text[: ANSWER_LENGTH - 1] + "…"
    return found.model_copy(update={"answer": text})


def _answer(question: Question, world: WorldModel) -> MemoryAnswer:
    match question:
        case AskWhereAmI():
            return location_answers.where_am_i(question, world)
        case AskInventory():
            return location_answers.inventory(question, world)
        case AskWhereIs():
            return location_answers.where_is(question, world)
        case AskWhatHappened():
            return location_answers.what_happened(question, world)
        case AskExits():
            return exit_answers.exits(question, world)
        case AskNearestUnexplored():
            return exit_answers.nearest_untried(question, world)
        case AskRoute():
            return exit_answers.route(question, world)
        case AskTried():
            return exit_answers.tried(question, world)
        case _:
            assert_never(question)
