"""Things are looked at in depth."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_FURNITURE = frozenset(
    """
    bed table desk rug carpet mat couch sofa chair bench cushion pillow mattress shelf shelves cabinet counter
    bush bushes painting picture curtain curtains tapestry leaves pile heap rubble junk debris trash blanket
    altar stone rock boulder doormat cupboard wardrobe dresser drawer drawers stove barrel crate box
    """.split()
)
_LOOKS = (
    ("search", 34.0, 46.0),
    ("look under", 30.0, 44.0),
    ("look behind", 26.0, 26.0),
    ("look in", 24.0, 24.0),
)
"""With the utility where valid actions are known, and by text alone."""
_NAMED, _LEAST_RATE = 42.0, 0.15
_HIDDEN = 56.0
"""A text speaks of what is under or behind a thing."""


def look_closely(context: OptionContext) -> Iterator[Idea]:
    """At what an answer names; under, behind and into what something may be hidden by."""
    if context.complete:
        return
    known, tried = context.known, context.tried
    named = _NAMED * max(_LEAST_RATE, known.rates.told.rate)
    for noun in known.mentions.named_in_answers(context.room):
        action = f"examine {noun}"
        if action not in tried and action not in context.done_anywhere:
            yield Idea(action, "an answer names it", named)
    for action in known.instructions.hiding_in(context.room):
        if action not in tried and head_of(action) not in context.refused:
            yield Idea(action, "a text speaks of it", _HIDDEN)
    for noun in (noun for noun in context.scope if noun in _FURNITURE):
        for verb, known_valid, by_text in _LOOKS:
            action = normal(f"{verb} {noun}")
            if action not in tried:
                utility = by_text if context.blind else known_valid
                yield Idea(action, "something may be hidden there", utility)
