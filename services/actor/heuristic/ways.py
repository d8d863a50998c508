"""The ways out of a room as options."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import direction_of
from services.actor.heuristic.option_context import OptionContext


def way_options(context: OptionContext) -> Iterator[tuple[float, str, str]]:
    """Ways with utility and reason, those first that paid before; complete valid actions leave no others."""
    chart = context.known.map
    for way, points in context.unclaimed.items():
        possible = way in context.offered or not context.complete
        if direction_of(way) and way not in context.attempts and possible:
            yield context.weights.actions.rewarded + points, way, "it earned points in an episode before"
    likely = frozenset(chart.hinted(context.room))
    for way in chart.untried(context.room):
        if way not in context.deadly and (way in likely or not context.complete):
            yield way_utility(way, context, likely=way in likely), way, "an unexplored way"


def way_utility(way: str, context: OptionContext, *, likely: bool) -> float:
    """A way that the game or its text mentions leads on; another may; the way back leads to what is known."""
    weights, known, room = context.weights, context.known, context.room
    utility = _by_the_map(way, context, likely=likely)
    tried = context.done.get(way, 0) + context.ineffective.get(way, 0)
    if room in known.rooms.dark:
        utility *= weights.ways.dark
    return max(0.0, utility) * weights.factors.again**tried


def _by_the_map(way: str, context: OptionContext, *, likely: bool) -> float:
    weights, chart, room = context.weights.ways, context.known.map, context.room
    if way in chart.freed.get(room, ()):
        return weights.freed
    presumed = way in chart.presumed(room)
    if likely:
        return weights.back if presumed else weights.likely
    utility = weights.unoffered
    if not chart.offers(room):
        blocked = weights.per_blocked * len(chart.blocked.get(room, ()))
        utility = (weights.other - blocked) * context.known.rates.unlikely_ways.rate
    return utility * weights.back_unlikely if presumed else utility
