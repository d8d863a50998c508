"""Routes over what was walked: never over a way back that is only presumed, nor through what is shut."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from services.memory.beliefs.facts import Fact
from services.memory.beliefs.world import World


@dataclass(frozen=True, slots=True)
class Route:
    """Actions that lead to a room, and the facts that say so."""

    room: str
    ways: tuple[tuple[str, Fact], ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """What to do, one after the other."""
        return tuple(action for action, _ in self.ways)


def reachable(world: World, start: str, at: int | None, *, deeds: bool = False) -> Iterator[Route]:
    """Every room that can be walked to, nearest first; with `deeds`, by other deeds that led on too."""
    seen, queue = {start}, deque([Route(start)])
    while queue:
        route = queue.popleft()
        yield route
        for action, fact in world.ways(route.room, at).open(deeds=deeds):
            if fact.object not in seen:
                seen.add(fact.object)
                queue.append(Route(fact.object, (*route.ways, (action, fact))))


def route_to(world: World, start: str, goals: Callable[[str], bool], at: int | None) -> Route | None:
    """The shortest walk to a room; where there is none, the shortest way that has other deeds in it."""
    for deeds in (False, True):
        for route in reachable(world, start, at, deeds=deeds):
            if goals(route.room):
                return route
    return None


def nearest_unexplored(world: World, start: str, at: int | None) -> tuple[Route, str] | None:
    """The way to the nearest room with an untried direction.

    A likely one anywhere comes first, then one of a room that nothing is known of, then any.
    """
    routes = tuple(reachable(world, start, at))
    for candidates in (world.likely, world.unknown, world.unexplored):
        for route in routes:
            shut = world.ways(route.room, at).shut
            untried = [way for way in candidates(route.room, at) if way not in shut]
            if untried:
                return route, untried[0]
    return None
