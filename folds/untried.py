"""What has not been tried here yet, the most promising first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from folds.attempts import AttemptLog
from folds.map import Map
from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import UTILITY, ActionKind, base_utility
from folds.vocabulary.words import head_of
from schemas.game import StepTaken

LEAST_UTILITY = UTILITY[ActionKind.UNDO]
"""Actions of no more utility merely undo others: they are never recommended."""


def untried_valid(step: StepTaken, tried: AttemptLog) -> tuple[str, ...]:
    """Valid actions not tried in this state of the world: new to the room first, then the worthiest."""
    room, world = room_of(step), tried.in_world(tried.world)
    ending, known = tried.ended_in(room), tried.in_room(room)
    found = step.valid_actions.actions if step.valid_actions else ()
    fresh = [a for a in found if normal(a) not in world and normal(a) not in ending]
    useful = [a for a in fresh if base_utility(a) > LEAST_UTILITY]
    return tuple(sorted(useful, key=lambda a: (normal(a) in known, -base_utility(a))))


def untried_here(step: StepTaken, tried: AttemptLog, chart: Map) -> tuple[str, ...]:
    """Everything worth trying here: valid actions, what the visible things suggest, untried ways."""
    room, world = room_of(step), tried.in_world(tried.world)
    avoid = tried.ended_in(room) | tried.in_room(room).keys()
    likely = tuple(d for d in chart.likely(room) if d not in avoid)
    handled = tuple(a for a in _suggested_by_things(step) if a not in avoid)
    complete = step.valid_actions is not None and step.valid_actions.complete
    rest = () if complete else tuple(d for d in chart.untried(room) if d not in avoid)
    ranked = sorted((*untried_valid(step, tried), *likely, *handled), key=_rank(tried, room))
    return tuple(dict.fromkeys(a for a in (*ranked, *rest) if normal(a) not in world))


def _rank(tried: AttemptLog, room: str) -> Callable[[str], tuple[bool, int]]:
    known = tried.in_room(room)
    return lambda action: (normal(action) in known, -base_utility(action))


def _suggested_by_things(step: StepTaken) -> Iterator[str]:
    """Taking and opening is left to the valid actions where those are known."""
    kinds = (
        (ActionKind.EXAMINE,)
        if step.valid_actions
        else (ActionKind.TAKE, ActionKind.OPEN, ActionKind.EXAMINE)
    )
    for thing in step.objects or ():
        yield from (f"{kind} {head_of(thing.name)}" for kind in kinds)
    for thing in step.inventory or ():
        yield f"{ActionKind.EXAMINE} {head_of(thing.name)}"
