"""Where to walk when something better waits in another room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from folds.map import Avoid, MapRoute
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.places.darkness import has_light
from services.actor.heuristic.behaviours.things.delivering import wanted_in
from services.actor.heuristic.behaviours.things.fetching import missing_things
from services.actor.heuristic.behaviours.things.locks import keys
from services.actor.heuristic.behaviours.things.tools import fits_in
from services.actor.heuristic.behaviours.things.treasures import worth_of_bringing_treasures
from services.actor.heuristic.caution import is_cautious, safety_of
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.weights import Factors, TravelWeights
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.situation import Situation

_WORTH_A_WALK, _PER_ROOM, _AT_A_LOSS = 3.0, 0.3, 2.6
"""Of what remains in another room, where nothing better than experiments is known in this one."""


def travel(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """The first action towards each room where something (or known points only) is worth the way."""
    known, weights = situation.experience, context.weights.travel
    for_points = is_cautious(situation, context.weights)
    missing = missing_things(known) if context.blind else {}
    for route in _routes(situation):
        if for_points and not known.unclaimed(route.room):
            continue
        utility, reason = _attraction(situation, route.room, weights, missing)
        utility *= weights.tiring ** max(0, known.rooms.arrivals[route.room] - weights.arrivals)
        cost = _cost(situation, route, weights)
        if utility > cost:
            place = known.map.names.get(route.room, route.room)
            worth = (utility - cost) * _safety_further_on(situation, route, context.weights.factors)
            yield Idea(route.actions[0], f"walk to {place}: {reason}", worth, insists=True)


def avoided(known: Experience) -> Avoid:
    """What kills is not walked, nor into the dark without a light."""
    lightless = known.rooms.dark if not has_light(known) else frozenset[str]()
    if not lightless:
        return known.is_deadly
    return lambda room, way: known.is_deadly(room, way) or known.map.beyond(room, way) in lightless


def stalest(situation: Situation, *, passing: bool = False) -> Idea | None:
    """The first action towards the room that was left longest ago, where much may have changed.

    `passing`: only where the player has just come into a room that was seen later than that one.
    """
    rooms, routes = situation.experience.rooms, _routes(situation)
    route = min(routes, key=lambda route: rooms.visited_at.get(route.room, 0), default=None)
    if route is None or (passing and rooms.seen_before <= rooms.visited_at.get(route.room, 0)):
        return None
    place = situation.map.names.get(route.room, route.room)
    return Idea(route.actions[0], f"nothing is untried: walk to {place}, seen longest ago")


def unfinished(situation: Situation) -> Iterator[Idea]:
    """The first action towards the room where most is untried; the way counts little."""
    left = situation.remaining
    routes = [route for route in _routes(situation) if left.get(route.room, 0.0) >= _WORTH_A_WALK]
    if routes:
        route = max(routes, key=lambda route: left[route.room] - _PER_ROOM * len(route.actions))
        place = situation.map.names.get(route.room, route.room)
        reason = f"walk to {place}: something is untried there, and nothing here"
        yield Idea(route.actions[0], reason, _AT_A_LOSS, insists=True)


def _routes(situation: Situation) -> Iterator[MapRoute]:
    """The ways to all other rooms."""
    routes = situation.map.reachable(situation.room, avoided(situation.experience))
    return (route for route in routes if route.actions)


def _cost(situation: Situation, route: MapRoute, weights: TravelWeights) -> float:
    known = situation.experience
    back = known.map.beyond(situation.room, route.actions[0]) == situation.came_from
    turning = weights.turning_back * back
    deaths = weights.death * known.dangers.deaths_in_light[route.room]
    return turning + weights.setting_out + weights.per_room * len(route.actions) + deaths


def _safety_further_on(situation: Situation, route: MapRoute, factors: Factors) -> float:
    """From 1 down: the later actions were done shortly before deaths, which is weighed before one sets out.

    A way that is worth walking from afar and no more at its last step would be walked to and fro.
    """
    known, safety = situation.experience, 1.0
    room = known.map.beyond(situation.room, route.actions[0])
    for action in route.actions[1:]:
        if room is None:
            break
        safety *= safety_of(action, room, known, factors)
        room = known.map.beyond(room, action)
    return safety


def _attraction(
    situation: Situation, room: str, weights: TravelWeights, missing: Mapping[str, str]
) -> tuple[float, str]:
    known = situation.experience
    unclaimed = known.unclaimed(room)
    if unclaimed and known.rooms.visits[room] < weights.visits:
        utility = min(weights.claim + max(unclaimed.values()), weights.claim_at_most)
        return utility, "points were earned there before"
    return max(_reasons(situation, room, weights, missing))


def _reasons(
    situation: Situation, room: str, weights: TravelWeights, missing: Mapping[str, str]
) -> Iterator[tuple[float, str]]:
    known, now = situation.experience, situation.step.step
    since = known.rooms.visited_at.get(room, 0)
    gained = known.belongings.gained_at > since
    works = known.history.worked_at > since
    yield situation.remaining.get(room, 0.0), "something untried"
    if room in missing:
        yield weights.claim, f"the {missing[room]} lies there"
    done_at, reopened = known.history.done_at(room), known.map.reopened_by(room)
    openers = [each for way, each in reopened.items() if done_at.get(each, -1) <= done_at.get(way, -1)]
    if not all(map(known.belongings.lacks_tool, openers)):
        yield weights.tool, "what opened a way there may open it again"
    if known.map.opened_at.get(room, 0) > since:
        yield weights.claim_at_most, "something opens there"
    if gained and room in known.rooms.dark and has_light(known):
        yield weights.claim, "there is a light at hand now"
    if gained and known.rooms.locked.get(room) and keys(known):
        yield weights.claim, "a key may fit there"
    if gained and fits_in(room, known):
        yield weights.tool, "a tool for something there has come to hand"
    if wanted_in(room, known):
        yield weights.claim, "a text asks for what is held"
    yield worth_of_bringing_treasures(room, known), "treasures may count there"
    brings_more = gained and not known.rooms.has_seen_all(room, known.belongings.names)
    if brings_more or works:
        more = min(weights.revisit_more, (now - since) / weights.absence)
        yield weights.revisit + more, "nothing gained since has been tried there"
