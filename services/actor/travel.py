"""Where to walk when something better waits in another room."""

from __future__ import annotations

from services.actor.appraisal import REWARDED, Option
from services.actor.experience import Experience

PER_ROOM = 2.5
"""Worth lost with each room that must be walked through."""

_DANGER, _DARKNESS = 15.0, 40.0
_REVISIT = 14.0


def journeys(known: Experience, left: dict[str, float], here: str, now: int) -> list[Option]:
    """The first action towards each room where something is worth the way."""
    found = []
    for route in known.map.reachable(here, avoid=lambda room, way: way in known.tried.deadly_in(room)):
        if not route.actions:
            continue
        worth, reason = _attraction(known, left, route.room, now)
        danger = _DANGER * known.deaths[route.room] + _DARKNESS * (route.room in known.dark)
        cost = PER_ROOM * len(route.actions) + danger
        if worth > cost:
            place = known.map.names.get(route.room, route.room)
            found.append(Option(worth - cost, route.actions[0], f"walk to {place}: {reason}"))
    return found


def _attraction(known: Experience, left: dict[str, float], room: str, now: int) -> tuple[float, str]:
    if known.unclaimed(room):
        return REWARDED, "points were earned there before"
    worth, reason = left.get(room, 0.0), "something untried"
    since = known.visited.get(room, 0)
    if known.gained_at > since:
        stale = _REVISIT + min(10.0, (now - since) / 20)
        worth, reason = max((worth, reason), (stale, "nothing gained since has been tried there"))
    return worth, reason
