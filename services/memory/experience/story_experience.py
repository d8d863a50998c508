"""Makes a message of what is known of a story; what does not fit is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pydantic import BaseModel

from schemas.experience import (
    MOST_BYTES,
    MOST_IN_A_ROOM,
    MOST_REFLECTIONS,
    MOST_ROOMS,
    MOST_STAGES,
    REFLECTION_LENGTH,
    RouteStage,
    StoryDeath,
    StoryExperience,
    StoryRoom,
)

ROUTE_BYTES = MOST_BYTES * 2 // 5
ROOMS_BYTES = MOST_BYTES - ROUTE_BYTES - 500 - MOST_REFLECTIONS * 4 * REFLECTION_LENGTH

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class StoryRows:
    """What the graph of a story holds."""

    sessions: int
    score: int | None
    best: Sequence[Any]
    """The session that earned most in an episode, and how much."""
    route: Rows
    """Action, room, arrives."""
    rooms: Rows
    """Id, name."""
    exits: Rows
    """Room, way, arrives; what was walked last stands last."""
    earned: Rows
    """Room, action, points."""
    deaths: Rows
    """Room, action, dark, times."""
    reflections: Sequence[str] = ()
    """A sentence on each of the last failures."""


def story_experience(known: StoryRows) -> StoryExperience:
    """The message. The beginning of the route is kept first, then the rooms in which most has happened."""
    stages = [RouteStage(action=action, room=room, arrives=arrives) for action, room, arrives in known.route]
    rooms = sorted(_rooms(known), key=_importance({stage.room for stage in stages}), reverse=True)
    route = _first_that_fit(stages[:MOST_STAGES], ROUTE_BYTES)
    kept = _all_that_fit(rooms[:MOST_ROOMS], ROOMS_BYTES)
    session, points = known.best
    return StoryExperience(
        sessions=known.sessions,
        best_session=session,
        best_points=points,
        best_score=known.score,
        best_route=route,
        rooms=kept,
        reflections=tuple(known.reflections),
        cut=(len(route), len(kept)) < (len(stages), len(rooms)),
    )


def _rooms(known: StoryRows) -> Iterator[StoryRoom]:
    exits, earned, deaths = (_by_room(rows) for rows in (known.exits, known.earned, known.deaths))
    for room, name in known.rooms:
        newest = {way: arrives for way, arrives in exits[room]}  # noqa: C416  (a row is no pair by its type)
        yield StoryRoom(
            id=room,
            name=name,
            exits=tuple(newest.items())[:MOST_IN_A_ROOM],
            earned=tuple((action, points) for action, points in earned[room])[:MOST_IN_A_ROOM],
            deadly=tuple(
                StoryDeath(action=action, dark=dark, times=times) for action, dark, times in deaths[room]
            )[:MOST_IN_A_ROOM],
        )


def _by_room(rows: Rows) -> Mapping[str, list[Sequence[Any]]]:
    found: dict[str, list[Sequence[Any]]] = defaultdict(list)
    for room, *rest in rows:
        found[room].append(rest)
    return found


def _importance(on_route: set[str]) -> Callable[[StoryRoom], tuple[bool, int, int]]:
    def importance(room: StoryRoom) -> tuple[bool, int, int]:
        return room.id in on_route, len(room.earned) + len(room.deadly), len(room.exits)

    return importance


def _first_that_fit(stages: Sequence[RouteStage], most_bytes: int) -> tuple[RouteStage, ...]:
    """The beginning of a route, as much as fits into so many bytes of JSON."""
    sizes = accumulate(map(_size, stages))
    return tuple(stage for stage, size in zip(stages, sizes, strict=True) if size <= most_bytes)


def _all_that_fit(rooms: Iterable[StoryRoom], most_bytes: int) -> tuple[StoryRoom, ...]:
    """The rooms that fit into so many bytes of JSON; the first ones have priority."""
    kept: list[StoryRoom] = []
    for room in rooms:
        if (size := _size(room)) <= most_bytes:
            most_bytes -= size
            kept.append(room)
    return tuple(kept)


def _size(part: BaseModel) -> int:
    return len(part.model_dump_json().encode()) + 1
