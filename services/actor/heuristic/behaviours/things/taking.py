"""Everything is taken at once."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.option_context import OptionContext

_NEW, _CHANGED, _AGAIN = 95.0, 60.0, 0.6
_BARE = 40.0
"""In a new room whose text lists nothing: ways that a text names come first."""


def take_all(context: OptionContext) -> Iterator[Idea]:
    """In each new room, and again where something has changed: its answer also tells what is here.

    What was laid down for a trial is taken back before anything else.
    """
    if context.step.world or context.known.refusals.takes_no_all:
        return
    if normal(context.step.action or "") == "drop all" and context.step.changed:
        yield Idea("take all", "it was only laid down", URGENT - 2, insists=True)
    taken_at, laid_at = context.done_at.get("take all"), context.done_at.get("drop all", -1)
    if laid_at > (taken_at or 0) and context.known.belongings.laid_down:
        yield Idea("take all", "it was only laid down", _NEW, insists=True)
    elif taken_at is None:
        vain = context.ineffective.get("take all", 0)
        times = context.known.attempts.in_room(context.room).get("take all", 0)
        if not times or times > vain:
            yield Idea("take all", "whatever is here", _NEW if context.step.objects else _BARE)
    elif context.known.instructions.asks_for_any(context.room):
        return
    elif context.known.history.changed_at.get(context.room, 0) > taken_at:
        yield Idea("take all", "whatever has come to light", _CHANGED * _AGAIN ** context.done["take all"])
