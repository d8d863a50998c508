"""Answers from the graph: which facts a question needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from schemas.memory import MemoryAnswer
from services.memory import questions
from services.memory.facts import Entity, EntityKind
from services.memory.graph import Graph
from services.memory.questions import (
    ExitsOf,
    NotUnderstood,
    Question,
    TriedIn,
    UnexploredExitsOf,
    WhatDoIHave,
    WhereAmI,
    WhereIs,
)

SAME_NAME = 8
"""Entities of one name that an answer speaks of at most (the rooms of a maze)."""


async def answer(question: Question, graph: Graph) -> MemoryAnswer:
    """What the graph tells about a question; where it tells nothing, the answer says so."""
    match question:
        case WhereAmI():
            return questions.told_room(await graph.room_now())
        case WhatDoIHave():
            return questions.told_inventory(await graph.inventory())
        case ExitsOf(room):
            return await _about_rooms(graph, room, lambda found: _exits(graph, found))
        case UnexploredExitsOf(room):
            return await _about_rooms(graph, room, lambda found: _unexplored(graph, found))
        case TriedIn(room):
            return await _about_rooms(graph, room, lambda found: _tried(graph, found))
        case WhereIs(thing):
            return await _whereabouts(graph, thing)
        case NotUnderstood(text):
            return questions.not_understood(text)
        case _:
            assert_never(question)


async def _about_rooms(
    graph: Graph, name: str | None, tell: Callable[[Entity], Awaitable[MemoryAnswer]]
) -> MemoryAnswer:
    """Tell of every room of this name; of the one where the player is for no name."""
    if name is None:
        here = await graph.room_now()
        return questions.told_room(None) if here is None else await tell(here.entity)
    rooms = questions.named(name, await graph.entities(EntityKind.ROOM))
    told = [await tell(room) for room in rooms[:SAME_NAME]]
    return questions.together(told) if told else questions.never_seen(name)


async def _exits(graph: Graph, room: Entity) -> MemoryAnswer:
    return questions.told_exits(room, await graph.exits_of(room.id), await graph.blocked_in(room.id))


async def _unexplored(graph: Graph, room: Entity) -> MemoryAnswer:
    return questions.told_unexplored(room, await graph.exits_of(room.id), await graph.blocked_in(room.id))


async def _tried(graph: Graph, room: Entity) -> MemoryAnswer:
    return questions.told_tried(room, await graph.tried_in(room.id))


async def _whereabouts(graph: Graph, name: str) -> MemoryAnswer:
    things = questions.named(name, await graph.entities(EntityKind.ITEM))
    told = [
        questions.told_whereabouts(
            thing, await graph.sightings_of(thing.id), await graph.steps_mentioning(thing.id)
        )
        for thing in things[:SAME_NAME]
    ]
    return questions.together(told) if told else questions.never_seen(name)
