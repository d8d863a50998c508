"""Where to walk when something better waits in another room."""

from __future__ import annotations

from folds.map import Avoid
from services.actor.heuristic.candidates import keys, lights
from services.actor.heuristic.options import Option
from services.actor.knowledge.experience import Experience
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

SETTING_OUT, PER_ROOM = 4.0, 2.5
"""Worth lost by leaving what is at hand, and with each room that must be walked through."""

TURNING_BACK = 6.0
"""Worth lost by going straight back, so that no one goes to and fro between two like attractions."""

_DANGER = 12.0
_REVISIT, CLAIM = 20.0, 72.0
_VISITS = 6
"""Entries in an episode after which points that were once earned in a room are given up."""


def journeys(situation: Situation, *, for_points: bool = False) -> list[Option]:
    """The first action towards each room where something (or known points only) is worth the way."""
    known, here, now = situation.experience, situation.room, situation.step.step
    found = []
    for route in known.map.reachable(here, avoided(known)):
        if not route.actions or (for_points and not known.unclaimed(route.room)):
            continue
        utility, reason = _attraction(known, situation.left, route.room, now)
        turning = TURNING_BACK * (known.map.beyond(here, route.actions[0]) == situation.came_from)
        cost = turning + SETTING_OUT + PER_ROOM * len(route.actions) + _DANGER * known.deaths[route.room]
        if utility > cost:
            place = known.map.names.get(route.room, route.room)
            found.append(Option(utility - cost, route.actions[0], f"walk to {place}: {reason}"))
    return found


def avoided(known: Experience) -> Avoid:
    """What kills is not walked, nor into the dark without a light."""
    lightless = known.dark if not lights(known) else frozenset[str]()
    return lambda room, way: way in known.deadly(room) or known.map.beyond(room, way) in lightless


def _attraction(known: Experience, left: dict[str, float], room: str, now: int) -> tuple[float, str]:
    unclaimed = known.unclaimed(room)
    if unclaimed and known.entered[room] < _VISITS:
        return min(CLAIM + max(unclaimed.values()), 98.0), "points were earned there before"
    utility, reason = left.get(room, 0.0), "something untried"
    if room in known.dark and lights(known):
        utility, reason = max((utility, reason), (CLAIM, "there is a light at hand now"))
    since = known.visited.get(room, 0)
    if room in known.locked and known.gained_at > since and keys(known):
        utility, reason = max((utility, reason), (CLAIM, "a key may fit there"))
    if known.gained_at > since:
        stale = _REVISIT + min(10.0, (now - since) / 20)
        utility, reason = max((utility, reason), (stale, "nothing gained since has been tried there"))
    return utility, reason


def stalest(situation: Situation) -> Choice | None:
    """The first action towards the room that was left longest ago, where much may have changed."""
    known = situation.experience
    routes = [route for route in known.map.reachable(situation.room, avoided(known)) if route.actions]
    if not routes:
        return None
    route = min(routes, key=lambda route: known.visited.get(route.room, 0))
    place = known.map.names.get(route.room, route.room)
    return Choice(route.actions[0], f"nothing is untried: walk to {place}, seen longest ago")
