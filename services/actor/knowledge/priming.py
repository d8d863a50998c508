"""What a player knows from earlier sessions of the story, before the first step of this one."""

from __future__ import annotations

from folds.route import RouteStep
from schemas.experience import RouteStage, StoryExperience, StoryRoom
from services.actor.knowledge.situation import Situation

NEVER_ENTERED = 50.0
"""What there is to be gained in a room that this session has not entered: as much as by an unexplored way."""


def prime(situation: Situation, known: StoryExperience) -> None:
    """Give a situation what earlier sessions have found out. Call it before any step is folded."""
    names = {room.id: room.name for room in known.rooms}
    on_route = {(stage.room, stage.action) for stage in known.best_route}
    for room in known.rooms:
        situation.map.learn(room.id, names, dict(room.exits))
        situation.remaining[room.id] = NEVER_ENTERED
        _prime_attempts(situation, room, on_route)
    situation.best_route.begin_with([_route_step(stage) for stage in known.best_route], known.best_points)


def _prime_attempts(situation: Situation, room: StoryRoom, on_route: set[tuple[str, str]]) -> None:
    """What has earned points, or belongs to the best route, is not deadly: it may have killed by chance."""
    earned = dict(room.earned)
    survived = earned.keys() | {action for place, action in on_route if place == room.id}
    deadly = {death.action for death in room.deadly} - survived
    in_light = {death.action for death in room.deadly if not death.dark}
    situation.attempts.learn(room.id, earned, deadly)
    for action in sorted(deadly):
        situation.experience.dangers.learn(room.id, action, dark=action not in in_light)


def _route_step(stage: RouteStage) -> RouteStep:
    return RouteStep(stage.action, stage.room, stage.arrives, walk=stage.room != stage.arrives)
