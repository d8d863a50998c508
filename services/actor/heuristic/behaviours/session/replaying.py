"""The way to the best score so far is gone again."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import FIRST, URGENT, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_QUIET = 40
"""Steps, of whatever episode, without a new answer and anything untried, after which one looks about."""
_LOOKS = ("examine", "search", "look under", "look behind", "touch")
_SENSES = ("listen", "smell")


def replay_the_best(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """After a restart, the way to the best score so far is gone again; on a long one one looks about."""
    action, known = situation.best_route.next(situation.room), context.known
    if action is None or action in context.attempts or action in context.deadly:
        return
    if known.quiet_at(situation.step.step) >= _QUIET:
        nouns = (*context.scope, *context.mentioned)
        for look in (*(f"{verb} {noun}" for verb in _LOOKS for noun in nouns), *_SENSES):
            if look not in context.tried:
                yield Idea(look, "the way is long, and this was never done here", FIRST)
    yield Idea(action, "it led to the best score so far", URGENT, insists=True)
