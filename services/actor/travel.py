"""Where to walk when something better waits in another room."""

from __future__ import annotations

from services.actor.appraisal import Option
from services.actor.candidates import lights
from services.actor.experience import Experience

PER_ROOM = 2.5
"""Worth lost with each room that must be walked through."""

_DANGER = 12.0
_REVISIT, CLAIM = 14.0, 72.0
_VISITS = 6
"""Entries in an episode after which points that were once earned in a room are given up."""


def journeys(known: Experience, left: dict[str, float], here: str, now: int) -> list[Option]:
    """The first action towards each room where something is worth the way."""
    found = []
    lightless = known.dark if not lights(known) else frozenset()

    def avoid(room: str, way: str) -> bool:
        return way in known.deadly(room) or known.map.beyond(room, way) in lightless

    for route in known.map.reachable(here, avoid):
        if not route.actions:
            continue
        worth, reason = _attraction(known, left, route.room, now)
        cost = PER_ROOM * len(route.actions) + _DANGER * known.deaths[route.room]
        if worth > cost:
            place = known.map.names.get(route.room, route.room)
            found.append(Option(worth - cost, route.actions[0], f"walk to {place}: {reason}"))
    return found


def _attraction(known: Experience, left: dict[str, float], room: str, now: int) -> tuple[float, str]:
    unclaimed = known.unclaimed(room)
    if unclaimed and known.entered[room] < _VISITS:
        return min(CLAIM + max(unclaimed.values()), 98.0), "points were earned there before"
    worth, reason = left.get(room, 0.0), "something untried"
    if room in known.dark and lights(known):
        worth, reason = max((worth, reason), (CLAIM, "there is a light at hand now"))
    since = known.visited.get(room, 0)
    if known.gained_at > since:
        stale = _REVISIT + min(10.0, (now - since) / 20)
        worth, reason = max((worth, reason), (stale, "nothing gained since has been tried there"))
    return worth, reason
