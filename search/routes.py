"""The shortest ways between places, as actions have led."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from search.environment import Place

Ways = dict[Place, dict[str, Place]]
"""Of each place the actions that lead elsewhere, and where to."""
Route = tuple[str, ...]
"""The actions of a way."""


def routes_from(ways: Ways, start: Place) -> Iterator[tuple[Place, Route]]:
    """Each place that can be reached, with the shortest way to it, the nearest first (breadth first)."""
    queue = deque[tuple[Place, Route]]([(start, ())])
    seen = {start}
    while queue:
        place, route = queue.popleft()
        yield place, route
        for action, to in ways.get(place, {}).items():
            if to not in seen:
                seen.add(to)
                queue.append((to, (*route, action)))
