"""Where nothing better is known: what has killed, with other things in hand."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_UTILITY = 7.0
_WORTH = 60
"""Steps that must be left, lest a death cost what could still be earned."""


def dare(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What killed here is done again with something in hand that was not held then, or worn."""
    known = context.known
    if situation.steps_left < _WORTH:
        return
    for action in sorted(context.deadly):
        if known.dangers.may_differ(context.room, action, known.equipment):
            yield Idea(action, "it killed when less was held", _UTILITY, insists=True, dares=True)
