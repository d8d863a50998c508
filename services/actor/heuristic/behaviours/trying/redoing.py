"""In a new episode, what has opened or brought something before is done again first."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_WORKING = (ActionKind.OPEN, ActionKind.LIGHT, ActionKind.HANDLE, ActionKind.USE, ActionKind.ATTACK)
_UTILITY = 60.0


def redo(context: OptionContext) -> Iterator[Idea]:
    """What had an effect here in an earlier episode, and has not been done here in this one.

    Where valid actions are known they tell that, but for effects that the world's hash does not show.
    """
    due = context.due if context.blind else context.due & context.known.history.unseen_in(context.room)
    for action in sorted(due):
        if action_kind_of(action) in _WORKING:
            yield Idea(action, "it had an effect in an episode before", _UTILITY)
