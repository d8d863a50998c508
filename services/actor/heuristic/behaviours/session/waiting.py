"""Waiting where something goes on."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.places.ways import got_into_something_at
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_UTILITY, _SHELTER = 60.0, 62.0
_SHELTERED = 4
"""Steps that one waits in what may shelter."""


def wait(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """While each wait brings a new text, wait on; and where the player has died before, in what can be got
    into."""
    has_died = context.blind and context.known.dangers.deaths_in_light[context.room] > 0
    if has_died and context.step.step - got_into_something_at(context) < _SHELTERED:
        yield Idea("wait", "it may shelter from what killed here", _SHELTER, insists=True)
    if situation.step.action == "wait" and context.known.answers.is_new:
        yield Idea("wait", "waiting brings news", _UTILITY, insists=True)
