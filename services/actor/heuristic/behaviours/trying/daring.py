"""Where nothing better is known: what has killed, with other things in hand."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_UTILITY, _ARMED = 4.0, 24.0
"""Of what killed before; and of the same where something was put on since that may shield."""
_WORTH = 60
"""Steps that must be left, lest a death cost what could still be earned."""


def dare(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What killed here is done again with something in hand that was not held then, or worn, or after
    something else has had an effect here."""
    known = context.known
    if situation.steps_left < _WORTH:
        return
    for action in sorted(context.deadly):
        new = known.dangers.new_since_death(context.room, action, known.equipment_in(context.room))
        utility = _ARMED if any(each.startswith("wear ") for each in new) else _UTILITY
        if new:
            yield Idea(action, "it killed when less was held or done", utility, insists=True, dares=True)
