"""What has opened or brought something in an earlier episode is done again; so are buttons, after something
was put beside them."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.parsed_action import parsed
from services.actor.knowledge.experience.success import verb_of

_WORKING = (ActionKind.OPEN, ActionKind.LIGHT, ActionKind.HANDLE, ActionKind.USE, ActionKind.ATTACK)
_LETTING_GO = ("throw", "toss", "hurl")
"""What is not done again because it had an effect once: the thing may be lost by it."""
_FASTENING = ("tie", "attach", "fasten")
_UNSEEN = (ActionKind.OPEN,)
"""Kinds of actions whose effect the hash of the world may not tell, so that no search finds them: a lock."""
_UTILITY, _CONTROL = 60.0, 50.0


def redo(context: OptionContext) -> Iterator[Idea]:
    """What had an effect here in an earlier episode, and has not been done here in this one.

    What the search for valid actions offers is done for that; where it has not come to an end, it may have
    missed some.
    """
    if context.blind:
        yield from _controls(context)
    kinds = _UNSEEN if context.complete else _WORKING
    for action in sorted(context.due - context.offered):
        if action_kind_of(action) in kinds and verb_of(action) not in _LETTING_GO:
            yield Idea(action, "it had an effect in an episode before", _UTILITY)


def _controls(context: OptionContext) -> Iterator[Idea]:
    """Buttons and the like that had an effect, once more after something was put somewhere here."""
    effective = context.known.history.effective_in(context.room)
    done = sorted(effective & context.done_at.keys())
    placed_at = max((context.done_at[each] for each in done if _is_placing(each)), default=-1)
    for action in map(parsed, done):
        if action.is_control and context.done_at[action.text] < placed_at:
            yield Idea(action.text, "something was put here since", _CONTROL, insists=True)


def _is_placing(action: str) -> bool:
    return action_kind_of(action) is ActionKind.PLACE or verb_of(action) in _FASTENING
