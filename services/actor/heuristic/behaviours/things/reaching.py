"""What is out of reach is reached from something on which one can stand."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import DIRECTIONS, normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_STANDABLE = frozenset(
    """
    chair stool armchair crate box table desk barrel bench ladder stepladder trunk chest log block bucket
    """.split()
)
_IN_REACH, _STANDING, _BRINGING = 88.0, 56.0, 50.0
_MOST = 2
"""Times in an episode that one stands on the same thing in a room."""


def reach(context: OptionContext) -> Iterator[Idea]:
    """Where something was out of reach: to stand on what is here, or was brought, and to try again.

    Elsewhere: to push there what one can stand on.
    """
    if not context.blind:
        return
    wanted, held = context.known.instructions.out_of_reach.get(context.room, ()), context.held_nouns
    here = [noun for noun in context.scope if noun in _STANDABLE and noun not in held]
    if not wanted:
        yield from _bring(here, context)
        return
    stood_at = max((context.done_at.get(f"stand on {noun}", -1) for noun in here), default=-1)
    is_standing = stood_at > context.step.step - context.known.rooms.stayed
    for action in (*wanted, "take all") if is_standing else ():
        if context.done_at.get(action, -1) < stood_at and action not in context.deadly:
            yield Idea(action, "it may be in reach now", _IN_REACH, insists=True)
    for noun in here:
        action = f"stand on {noun}"
        if not is_standing and context.done.get(action, 0) < _MOST:
            yield Idea(action, "something here was out of reach", _STANDING, insists=True)
    for noun in (noun for noun in held if noun in _STANDABLE):
        if f"drop {noun}" not in context.done_at:
            yield Idea(f"drop {noun}", "one could stand on it here", _STANDING + 1)


def _bring(here: list[str], context: OptionContext) -> Iterator[Idea]:
    """Push what is here and can be stood on towards a room where something was out of reach."""
    rooms, chart = context.known.instructions.out_of_reach, context.known.map
    if not here or not rooms:
        return
    routes = {route.room: route.actions for route in chart.reachable(context.room)}
    for room in rooms:
        way = next(iter(routes.get(room, ())), "")
        for action in (normal(f"push {noun} {way}") for noun in here if way in DIRECTIONS):
            if action not in context.tried:
                yield Idea(action, "something was out of reach there", _BRINGING)
