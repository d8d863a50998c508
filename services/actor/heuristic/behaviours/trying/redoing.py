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

    What the search for valid actions offers is done for that; it does not come upon everything at each visit.
    """
    for action in sorted(context.due - context.offered):
        if action_kind_of(action) in _WORKING:
            yield Idea(action, "it had an effect in an episode before", _UTILITY)
