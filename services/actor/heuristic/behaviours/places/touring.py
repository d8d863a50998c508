"""Time is spread over the rooms."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.places.travel import stalest, unfinished
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_STAY, _UTILITY = 12, 6.5


def tour(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """To the room where most is untried, however far; after a dozen steps in one room: to the room that was
    seen longest ago, without a stop on the way."""
    yield from unfinished(situation)
    stayed = context.known.rooms.stayed
    walk = stalest(situation, passing=not stayed) if not stayed or stayed >= _STAY else None
    if walk is not None:
        yield Idea(walk.action, walk.reason, _UTILITY, insists=True)
