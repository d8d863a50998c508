"""In a new episode, what has opened or brought something before is done again first."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_WORKING = (ActionKind.OPEN, ActionKind.LIGHT, ActionKind.HANDLE, ActionKind.USE, ActionKind.ATTACK)
_UNSEEN = (ActionKind.OPEN,)
"""Kinds of actions whose effect the hash of the world may not tell, so that no search finds them: a lock."""
_UTILITY = 60.0


def redo(context: OptionContext) -> Iterator[Idea]:
    """What had an effect here in an earlier episode, and has not been done here in this one.

    What the search for valid actions offers is done for that; where it has not come to an end, it may have
    missed some.
    """
    kinds = _UNSEEN if context.complete else _WORKING
    for action in sorted(context.due - context.offered):
        if action_kind_of(action) in kinds:
            yield Idea(action, "it had an effect in an episode before", _UTILITY)
