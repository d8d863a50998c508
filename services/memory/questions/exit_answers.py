"""Answers about exits, routes, and what was tried in a room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from schemas.memory import (
    AskExits,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    ExitsAnswer,
    RoomExits,
    RouteAnswer,
    TriedAnswer,
)
from services.memory.beliefs.facts import LOCATED_IN, Entity, is_known_by_text
from services.memory.questions import sentences
from services.memory.questions.answer_parts import named_room, room_exits, tried_actions
from services.memory.questions.lookup import any_by_text, evidence, no_room, rooms_named, things_named
from services.memory.questions.routes import nearest_unexplored, reachable, route_to
from services.memory.timeline.world_model import WorldModel

MAX_TRIED = 12
"""Actions in an answer about one room, at most: the last that were tried, each with its last result."""


def exits(question: AskExits, world: WorldModel) -> ExitsAnswer:
    """The exits of every room of the name."""
    rooms = rooms_named(question.room, world, question.at)
    if not rooms:
        return ExitsAnswer(answer=no_room(question.room), known=False)
    found = tuple(room_exits(world, room, question.at) for room in rooms)
    render: Callable[[RoomExits], str] = sentences.unexplored if question.only_unexplored else sentences.exits
    return ExitsAnswer(
        answer="\n".join(map(render, found)),
        steps=evidence(step for room in found for step in _steps_of(room)),
        by_text=any_by_text(rooms),
        rooms=found,
    )


def nearest_untried(question: AskNearestUnexplored, world: WorldModel) -> RouteAnswer:
    """The route to the nearest room with an unexplored direction."""
    here = world.index.room(question.at)
    if here is None:
        return RouteAnswer(answer=sentences.UNKNOWN_POSITION, known=False)
    found = nearest_unexplored(world, here.object, question.at)
    if found is None:
        return RouteAnswer(
            answer=sentences.ALL_TRIED,
            steps=(here.valid_from,),
            known=False,
            by_text=is_known_by_text(here.object),
        )
    route, direction = found
    room = named_room(world.index.entities[route.room])
    likely = direction in world.likely(route.room, question.at)
    return RouteAnswer(
        answer=sentences.nearest(route.actions, room, direction, likely),
        steps=evidence((here.valid_from, *(fact.valid_from for _, fact in route.exits))),
        by_text=is_known_by_text(route.room),
        actions=route.actions,
        room=room,
        unexplored=direction,
    )


def route(question: AskRoute, world: WorldModel) -> RouteAnswer:
    """The route from a room to the nearest room of the name."""
    starts = rooms_named(question.start, world, question.at)
    goals = rooms_named(question.goal, world, question.at) or _rooms_of_things(question, world)
    if not starts or not goals:
        return RouteAnswer(answer=no_room(question.goal if starts else question.start), known=False)
    start, ids = starts[0], {goal.id for goal in goals}
    found = route_to(world, start.id, lambda room: room in ids, question.at)
    if found is None:
        shut = _shut_exits(world, start, question.at)
        answer = sentences.no_route(named_room(start), named_room(goals[0]), shut)
        return RouteAnswer(answer=answer, known=False, by_text=is_known_by_text(start.id))
    room = named_room(world.index.entities[found.room])
    return RouteAnswer(
        answer=sentences.route(found.actions, room, found.told),
        steps=evidence(fact.valid_from for _, fact in found.exits),
        by_text=is_known_by_text(found.room),
        actions=found.actions,
        told=found.told,
        room=room,
    )


def _rooms_of_things(question: AskRoute, world: WorldModel) -> tuple[Entity, ...]:
    """The rooms in which the things of the goal's name are: `how do I get to the fountain`."""
    things = things_named(question.goal or "", world, question.at)
    facts = (fact for thing in things for fact in world.index.facts(thing.id, question.at))
    return tuple(world.index.entities[fact.object] for fact in facts if fact.relation == LOCATED_IN)


def tried(question: AskTried, world: WorldModel) -> TriedAnswer:
    """What was tried in the rooms of a name."""
    rooms = rooms_named(question.room, world, question.at)
    if not rooms:
        return TriedAnswer(answer=no_room(question.room), known=False)
    lines, found = [], []
    for room in rooms:
        steps = world.index.last_tries(room.id, question.at)
        newest = [world.changes.episodic(step) for step in steps[: -MAX_TRIED - 1 : -1]]
        actions = tried_actions(newest, named_room(room))
        lines.append(sentences.tried(named_room(room), actions, len(steps) - len(newest)))
        found += actions
    return TriedAnswer(
        answer="\n".join(lines),
        steps=evidence(action.step for action in found),
        by_text=any_by_text(rooms),
        tried=tuple(found),
    )


def _shut_exits(world: WorldModel, start: Entity, at: int | None) -> Iterator[str]:
    """The known exits that are shut, of the rooms that can be reached."""
    for found in reachable(world, start.id, at):
        known, room = world.exits(found.room, at), named_room(world.index.entities[found.room])
        for action, _ in known.walked:
            if action in known.locked:
                yield f"{sentences.cut(action)} of {sentences.room_label(room)}"


def _steps_of(room: RoomExits) -> Iterable[int]:
    yield from (way.since for way in room.exits)
    yield from (way.since for way in room.blocked)
