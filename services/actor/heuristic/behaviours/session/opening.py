"""What a player types first."""

from __future__ import annotations

from collections.abc import Iterator

from folds.text.rooms import UNKNOWN_ROOM, is_by_text
from services.actor.heuristic.behaviours.idea import FIRST, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_OFTEN, _UTILITY = 80, 12.0
"""Steps after which a look at what is held is worth one."""


def open_well(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Where the text alone tells of rooms and things: rooms in full each time, and what is held."""
    step, known = situation.step, context.known
    if step.world or not (is_by_text(context.room) or context.room == UNKNOWN_ROOM):
        return
    if step.step == 0:
        yield Idea("verbose", "rooms are known by their texts alone", FIRST)
    elif step.step - known.episode.begun_at <= 1 and "inventory" not in context.done_anywhere:
        yield Idea("inventory", "what is held at the beginning", FIRST)
    elif step.step - known.belongings.listed_at >= _OFTEN:
        yield Idea("inventory", "what is held by now", _UTILITY, insists=True)
