"""Room is made for what could not be carried."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.texts import BURDENED

_ROOM = 96.0


def unburden(context: OptionContext) -> Iterator[Idea]:
    """Right after the player could carry no more, something is dropped; then what was too much is taken."""
    known, last = context.known, context.step.action or ""
    if known.belongings.burdened_at == context.step.step:
        for noun in (noun for noun in context.held_nouns if noun not in context.worn_nouns):
            yield Idea(normal(f"drop {noun}"))
    elif context.blind and action_kind_of(last) is ActionKind.DROP and context.step.changed:
        for action in (normal(f"take {noun}") for noun in context.scope):
            if BURDENED.search(known.history.answer_to(context.room, action)):
                yield Idea(action, "there is room for it now", _ROOM, insists=True)
