"""What is closed is opened, and keys are tried on what is locked."""

from __future__ import annotations

from collections.abc import Iterator

from folds.text.conditions import Condition
from folds.vocabulary.actions import normal
from folds.vocabulary.words import words_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import KEYS

_UNLOCKED, _LOCKED, _CLOSED, _AGAIN = 90.0, 80.0, 72.0, 0.5
"""Of opening what was unlocked, of trying a key on what is locked, whatever it is, and of opening what a text
calls closed; the factor for each time that the last was done."""

_LOCKS = frozenset(("lock", "padlock", "handcuffs", "manacles", "shackles"))
"""What is made to be unlocked, and is taken to be locked as long as no text says more."""
_FORCING, _FORCED = ("break", "kick"), 30.0
"""What is done to a lock without a key, and what that is worth."""


def unlock(context: OptionContext) -> Iterator[Idea]:
    """What was unlocked or is called closed is opened; what was found locked is tried with the keys held."""
    yield from _open_closed(context)
    held, said, now = keys(context.known), context.conditions, context.step.step
    worth = _LOCKED * context.known.rates.of_verb("unlock").trust
    locked = [noun for noun, how in said.items() if how is Condition.LOCKED]
    locked += (noun for noun in context.here_or_mentioned if noun in _LOCKS and noun not in said)
    for noun in dict.fromkeys((*context.known.rooms.locked.get(context.room, ()), *locked)):
        for key in held:
            action = normal(f"unlock {noun} with {key}")
            yield Idea(action)
            if action not in context.done:
                yield Idea(action, "it is locked, and this may be its key", worth)
            if context.done_at.get(action, now) < context.known.belongings.once_held.get(key, 0):
                yield Idea(action, "the key was not at hand before", _UNLOCKED, insists=True)
        if context.blind and not held:
            forcing = (normal(f"{verb} {noun}") for verb in _FORCING)
            untried = (action for action in forcing if action not in context.tried)
            yield from (Idea(action, "it is locked, and no key is known", _FORCED) for action in untried)
        if held and f"unlock {noun}" not in context.tried:
            yield Idea(normal(f"unlock {noun}"), "it is locked, and a key is in hand", worth - 1)


def _open_closed(context: OptionContext) -> Iterator[Idea]:
    for noun in (noun for noun, how in context.conditions.items() if how is Condition.CLOSED):
        action = normal(f"open {noun}")
        if context.last_worked_at("unlock", noun) > context.done_at.get(action, -1):
            yield Idea(action, "it is unlocked now", _UNLOCKED, insists=True)
        elif context.blind:
            utility = _CLOSED * _AGAIN ** context.done.get(action, 0)
            yield Idea(action, "a text calls it closed", utility)


def keys(known: Experience) -> tuple[str, ...]:
    """Things held that probably unlock something."""
    found = (next((word for word in words_of(name) if word in KEYS), "") for name in known.belongings.names)
    return tuple(dict.fromkeys(word for word in found if word))
