"""Routes over known exits and ways back that the game names; never through a shut exit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from services.memory.beliefs.facts import TOLD, Fact
from services.memory.timeline.world_model import Ways, WorldModel


@dataclass(frozen=True, slots=True)
class Route:
    """Actions that lead to a room, and the facts that say so."""

    room: str
    exits: tuple[tuple[str, Fact], ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions, in order."""
        return tuple(action for action, _ in self.exits)

    @property
    def told(self) -> tuple[str, ...]:
        """The actions that nobody has done yet: the game names these ways."""
        return tuple(action for action, fact in self.exits if fact.relation.startswith(TOLD))


def reachable(world: WorldModel, start: str, at: int | None, ways: Ways = Ways.TOLD) -> Iterator[Route]:
    """Every room that can be reached, nearest first."""
    seen, queue = {start}, deque([Route(start)])
    while queue:
        route = queue.popleft()
        yield route
        for action, fact in world.exits(route.room, at).passable(ways):
            if fact.object not in seen:
                seen.add(fact.object)
                queue.append(Route(fact.object, (*route.exits, (action, fact))))


def route_to(world: WorldModel, start: str, goals: Callable[[str], bool], at: int | None) -> Route | None:
    """The shortest route that was walked; else with ways that the game names; else with any actions."""
    for ways in Ways:
        for route in reachable(world, start, at, ways):
            if goals(route.room):
                return route
    return None


def nearest_unexplored(world: WorldModel, start: str, at: int | None) -> tuple[Route, str] | None:
    """The route to the nearest room with an unexplored direction, and that direction.

    A likely direction of any room comes first, then one of a room whose exits are not listed, then any.
    """
    routes = tuple(reachable(world, start, at))
    for candidates in (world.likely, world.uncertain, world.unexplored):
        for route in routes:
            locked = world.exits(route.room, at).locked
            directions = [way for way in candidates(route.room, at) if way not in locked]
            if directions:
                return route, directions[0]
    return None
