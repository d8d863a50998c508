"""What is closed is opened, and keys are tried on what is locked."""

from __future__ import annotations

from collections.abc import Iterator

from folds.text.conditions import Condition
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import KEYS, OPENABLE

_SHUT, _AGAIN = 64.0, 0.5
"""Of opening what a text calls closed, whatever it is, and the factor for each time that it was tried."""


def unlock(context: OptionContext) -> Iterator[Idea]:
    """What a text calls closed is opened; what was found locked here is tried with the keys held.

    What was opened in an earlier episode is opened in the same way.
    """
    held, said = keys(context.known), context.conditions
    if context.blind:
        due = sorted(context.known.history.due_in(context.room))
        yield from (Idea(action) for action in due if action_kind_of(action) is ActionKind.OPEN)
        for noun in (noun for noun, how in said.items() if how is Condition.CLOSED):
            action = normal(f"open {noun}")
            again = _AGAIN ** context.done.get(action, 0)
            yield Idea(action, "it is closed", None if noun in OPENABLE else _SHUT * again)
    locked = (noun for noun, how in said.items() if how is Condition.LOCKED)
    for noun in dict.fromkeys((*context.known.rooms.locked.get(context.room, ()), *locked)):
        yield from (Idea(normal(f"unlock {noun} with {key}")) for key in held)
        if held and f"unlock {noun}" not in context.known.attempts.in_room(context.room):
            yield Idea(normal(f"unlock {noun}"))


def keys(known: Experience) -> tuple[str, ...]:
    """Things held that probably unlock something."""
    found = (next((word for word in words_of(name) if word in KEYS), "") for name in known.belongings.names)
    return tuple(dict.fromkeys(word for word in found if word))
