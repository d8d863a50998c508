"""Answers: which facts a question needs, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, assert_never

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
    MemoryAnswer,
    RoomAnswer,
    RoomExits,
    RouteAnswer,
    TriedAnswer,
    WhereaboutsAnswer,
)
from services.memory.beliefs.facts import INSIDE, Entity, EntityKind, Fact, is_by_text
from services.memory.beliefs.world import World
from services.memory.questions import naming, wording
from services.memory.questions.events import events_of, said_by
from services.memory.questions.naming import named_room
from services.memory.questions.parsing import HERE, Question
from services.memory.questions.routes import nearest_unexplored, reachable, route_to
from services.memory.questions.tellings import exits_told, held_told, tried_told, whereabouts_told

SAME_NAME = 8
"""Entities of one name that an answer speaks of at most (the rooms of a maze)."""
EVENTS = 40
"""Events that an answer lists at most, the newest."""
TRIED = 12
"""Actions tried in a room that an answer tells at most, those tried last, each with its last outcome."""
A = TypeVar("A", bound=MemoryAnswer)


def answer(question: Question, world: World) -> MemoryAnswer:
    """What is known about a question; where nothing is, the answer says so. Never raises."""
    if question.at is not None and question.at > world.recall.last_step:
        told = wording.no_such_step(question.at, world.recall.last_step)
        return ANSWERS[type(question)](answer=told, known=False)
    if question.at == world.recall.last_step:
        question = question.model_copy(update={"at": None})
    found = _answer(question, world)
    if question.at is not None:
        found = found.model_copy(update={"answer": f"After step {question.at}: {found.answer}"})
    if len(found.answer) > ANSWER_LENGTH:
        found = found.model_copy(update={"answer": found.answer[: ANSWER_LENGTH - 1] + "…"})
    return found


def _answer(question: Question, world: World) -> MemoryAnswer:
    match question:
        case AskWhereAmI():
            return _where_am_i(question, world)
        case AskInventory():
            return _inventory(question, world)
        case AskExits():
            return _exits(question, world)
        case AskNearestUnexplored():
            return _nearest(question, world)
        case AskWhereIs():
            return _where_is(question, world)
        case AskWhatHappened():
            return _happened(question, world)
        case AskRoute():
            return _route(question, world)
        case AskTried():
            return _tried(question, world)
        case _:
            assert_never(question)


def _where_am_i(asked: AskWhereAmI, world: World) -> RoomAnswer:
    fact = world.recall.room(asked.at)
    if fact is None:
        return RoomAnswer(answer=wording.NOWHERE, known=False)
    room = named_room(world.recall.entities[fact.object])
    return RoomAnswer(
        answer=wording.standing(room, fact.valid_from),
        steps=(fact.valid_from,),
        by_text=is_by_text(fact.object),
        room=room,
    )


def _inventory(asked: AskInventory, world: World) -> InventoryAnswer:
    facts = world.recall.inventory(asked.at)
    inside = [f for fact in facts for f in world.recall.facts(fact.object, asked.at) if f.relation == INSIDE]
    things = held_told(facts, inside, world.recall.entities)
    return InventoryAnswer(
        answer=wording.inventory(things),
        steps=_steps(facts),
        by_text=world.beliefs.things_by_text or any(is_by_text(fact.object) for fact in facts),
        things=things[-naming.MOST :],
    )


def _exits(asked: AskExits, world: World) -> ExitsAnswer:
    rooms = _rooms(asked.room, world, asked.at)
    if not rooms:
        return ExitsAnswer(answer=_no_room(asked.room), known=False)
    told = [exits_told(world, room, asked.at) for room in rooms]
    tell: Callable[..., str] = wording.unexplored if asked.only_unexplored else wording.exits
    return ExitsAnswer(
        answer="\n".join(map(tell, told)),
        steps=_sorted(step for room in told for step in _told_by(room)),
        by_text=any(is_by_text(room.id) for room in rooms),
        rooms=tuple(told),
    )


def _nearest(asked: AskNearestUnexplored, world: World) -> RouteAnswer:
    here = world.recall.room(asked.at)
    if here is None:
        return RouteAnswer(answer=wording.NOWHERE, known=False)
    found = nearest_unexplored(world, here.object, asked.at)
    if found is None:
        told = "Every way that I can reach from here was tried."
        return RouteAnswer(
            answer=told, steps=(here.valid_from,), known=False, by_text=is_by_text(here.object)
        )
    route, then = found
    room, likely = named_room(world.recall.entities[route.room]), then in world.likely(route.room, asked.at)
    return RouteAnswer(
        answer=wording.nearest(route.actions, room, then, likely),
        steps=_sorted((here.valid_from, *(fact.valid_from for _, fact in route.ways))),
        by_text=is_by_text(route.room),
        actions=route.actions,
        room=room,
        then=then,
    )


def _where_is(asked: AskWhereIs, world: World) -> WhereaboutsAnswer:
    things = world.recall.names.called(asked.thing, EntityKind.ITEM, asked.at)[:SAME_NAME]
    if not things:
        return WhereaboutsAnswer(answer=wording.never_seen(asked.thing), known=False)
    told = tuple(whereabouts_told(world, thing, asked.at) for thing in things)
    return WhereaboutsAnswer(
        answer="\n".join(map(wording.whereabouts, told)),
        steps=_sorted(step for found in told for step in (found.since, found.until, found.seen)),
        known=any(found.since is not None for found in told),
        by_text=any(is_by_text(thing.id) for thing in things),
        things=told,
    )


def _happened(asked: AskWhatHappened, world: World) -> EventsAnswer:
    about = None if asked.about == HERE else asked.about
    things = world.recall.names.called(asked.about, EntityKind.ITEM, asked.at)[:SAME_NAME]
    met = things or _rooms(about, world, asked.at)
    if not met:
        return EventsAnswer(answer=_no_room(about), known=False)
    if asked.topic is None:
        found = [event for entity in met for event in events_of(world, entity, asked.at)]
    else:
        found = [event for entity in met for event in said_by(world, entity, asked.topic, asked.at)]
    found.sort(key=lambda event: event.step)
    kept = tuple(found[-EVENTS:])
    told = wording.events(met[0].name, kept, len(found) - len(kept))
    return EventsAnswer(
        answer=told if found else f"Nothing that I know of: {wording.cut(met[0].name)} has not said so.",
        steps=_sorted(event.step for event in kept),
        known=bool(found),
        by_text=any(is_by_text(entity.id) for entity in met),
        events=kept,
    )


def _route(asked: AskRoute, world: World) -> RouteAnswer:
    starts = _rooms(asked.start, world, asked.at)
    goals = _rooms(asked.goal, world, asked.at)
    if not starts or not goals:
        missing = asked.start if not starts else asked.goal
        return RouteAnswer(answer=_no_room(missing), known=False)
    start, ids = starts[0], {goal.id for goal in goals}
    route = route_to(world, start.id, lambda room: room in ids, asked.at)
    if route is None:
        shut = _shut_ways(world, start, asked.at)
        told = wording.no_route(named_room(start), named_room(goals[0]), shut)
        return RouteAnswer(answer=told, known=False, by_text=is_by_text(start.id))
    room = named_room(world.recall.entities[route.room])
    return RouteAnswer(
        answer=wording.route(route.actions, room),
        steps=_sorted(fact.valid_from for _, fact in route.ways),
        by_text=is_by_text(route.room),
        actions=route.actions,
        room=room,
    )


def _shut_ways(world: World, start: Entity, at: int | None) -> Iterable[str]:
    """The known exits that are shut, of the rooms that can be walked to."""
    for route in reachable(world, start.id, at):
        ways, room = world.ways(route.room, at), named_room(world.recall.entities[route.room])
        for action, _ in ways.exits:
            if action in ways.shut:
                yield f"{wording.cut(action)} of {wording.of(room)}"


def _tried(asked: AskTried, world: World) -> TriedAnswer:
    rooms = _rooms(asked.room, world, asked.at)
    if not rooms:
        return TriedAnswer(answer=_no_room(asked.room), known=False)
    lines, tried = [], []
    for room in rooms:
        steps = world.recall.tried_in(room.id, asked.at)
        newest = [world.recall.turns[step] for step in steps[: -TRIED - 1 : -1]]
        told = tried_told(newest, named_room(room))
        lines.append(wording.tried(named_room(room), told, len(steps) - len(newest)))
        tried += told
    return TriedAnswer(
        answer="\n".join(lines),
        steps=_sorted(action.step for action in tried),
        by_text=any(is_by_text(room.id) for room in rooms),
        tried=tuple(tried),
    )


def _rooms(name: str | None, world: World, at: int | None) -> tuple[Entity, ...]:
    """The rooms of a name, or the one where the player is."""
    if name is None:
        here = world.recall.room(at)
        return (world.recall.entities[here.object],) if here else ()
    return world.recall.names.called(name, EntityKind.ROOM, at)[:SAME_NAME]


def _no_room(name: str | None) -> str:
    return wording.NOWHERE if name is None else wording.never_seen(name)


def _told_by(room: RoomExits) -> Iterable[int]:
    yield from (way.since for way in room.exits)
    yield from (way.since for way in room.blocked)


def _steps(facts: Iterable[Fact]) -> tuple[int, ...]:
    return _sorted(fact.valid_from for fact in facts)


def _sorted(steps: Iterable[int | None]) -> tuple[int, ...]:
    """The reason for an answer, as a set of steps; of very many, the newest."""
    return tuple(sorted({step for step in steps if step is not None}))[-naming.MOST :]


ANSWERS: dict[type[Question], type[MemoryAnswer]] = {
    AskWhereAmI: RoomAnswer,
    AskInventory: InventoryAnswer,
    AskExits: ExitsAnswer,
    AskNearestUnexplored: RouteAnswer,
    AskWhereIs: WhereaboutsAnswer,
    AskWhatHappened: EventsAnswer,
    AskRoute: RouteAnswer,
    AskTried: TriedAnswer,
}
"""The type of the answer to each question."""
QUESTION_OF: dict[str, type[Question]] = {
    "where_am_i": AskWhereAmI,
    "inventory": AskInventory,
    "exits": AskExits,
    "nearest_unexplored": AskNearestUnexplored,
    "where_is": AskWhereIs,
    "happened": AskWhatHappened,
    "route": AskRoute,
    "tried": AskTried,
}
"""By the verb that it is asked with on the bus."""
