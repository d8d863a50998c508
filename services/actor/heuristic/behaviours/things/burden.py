"""Room is made for what could not be carried."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext


def unburden(context: OptionContext) -> Iterator[Idea]:
    """Right after the player could carry no more, something is dropped."""
    if context.known.belongings.burdened_at == context.step.step:
        for name in context.known.belongings.names:
            yield Idea(normal(f"drop {head_of(name)}"))
