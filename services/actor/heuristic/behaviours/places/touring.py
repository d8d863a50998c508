"""Time is spread over the rooms."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.places.travel import avoided, stalest, unfinished
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.situation import Situation

_STAY, _UTILITY = 12, 6.5
_TRIES = 3
"""Of a way that was refused and may have been opened since."""
_LONG_WALK = 10
_MOST, _MOST_HURRIED, _BREADTH = 25, 10, 85.0
"""Steps in one room from which on a way that a text names comes first, wherever it is; and in a hurry."""


def tour(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """To the room where most is untried, however far; after a dozen steps in one room: to the room that was
    seen longest ago, without a stop on the way."""
    yield from unfinished(situation)
    stayed = context.known.rooms.stayed
    walk = stalest(situation, passing=not stayed) if not stayed or stayed >= _STAY else None
    if walk is not None:
        yield Idea(walk.action, walk.reason, _UTILITY, insists=True)


def breadth(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """After 25 steps in a room, 10 in a hurry: to the nearest way that a text names and nobody has walked.

    Not after a long walk with nothing untried: what is untried here may draw the player back each time.
    """
    known, room = context.known, context.room
    most = _MOST_HURRIED if context.hurried else _MOST
    if known.rooms.visits[room] < most or situation.best_route.is_under_way or not context.blind:
        return
    if known.rooms.stayed < _STAY and context.step.step - known.tried_at >= _LONG_WALK:
        return
    avoid = avoided(known)
    for route in known.map.reachable(room, avoid):
        likely = (way for way in known.map.likely(route.room) if not avoid(route.room, way))
        ways = [way for way in likely if _may_lead_on(way, route.room, known)]
        if ways:
            reason = f"enough was done here: {ways[0]} of {known.map.names.get(route.room, '')} is unexplored"
            yield Idea((*route.actions, ways[0])[0], reason, _BREADTH, insists=True)
            return


def _may_lead_on(way: str, room: str, known: Experience) -> bool:
    """Whether a way was not refused in a room in this episode, or seldom, and the room has changed since."""
    times, at = known.history.done_in(room).get(way, 0), known.history.done_at(room).get(way, 0)
    is_due = not times or known.history.changed_at.get(room, 0) > at
    return is_due and times < _TRIES and not known.refusals.is_unknown_verb_of(way)
