"""Keys are tried on what was found locked."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import words_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import KEYS


def unlock(context: OptionContext) -> Iterator[Idea]:
    """What was found locked here is tried with the keys held."""
    held = keys(context.known)
    for noun in context.known.rooms.locked.get(context.room, ()):
        yield from (Idea(normal(f"unlock {noun} with {key}")) for key in held)


def keys(known: Experience) -> tuple[str, ...]:
    """Things held that probably unlock something."""
    found = (next((word for word in words_of(name) if word in KEYS), "") for name in known.belongings.names)
    return tuple(dict.fromkeys(word for word in found if word))
