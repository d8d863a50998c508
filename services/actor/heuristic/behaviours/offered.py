"""What the game service offers as valid, what sub-agents suggest, and what earned points before."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

IDLE = ("look", "listen", "smell", "inventory", "wait")
"""What leaves the world as it is: done where the game may yet find more valid actions in it."""


_ADVICE, _OPENS = 12.0, 84.0


def do_what_is_valid(context: OptionContext) -> Iterator[Idea]:
    """Valid actions; where their search has not come to an end, idling lets it go on."""
    valid = context.step.valid_actions
    if valid is not None:
        yield from (Idea(normal(action)) for action in valid.actions)
        opening = context.offered & context.known.map.openers(context.room) - context.done.keys()
        for action in sorted(opening):
            yield Idea(action, "it opened a way in an episode before", _OPENS)
        if not valid.complete:
            yield from map(Idea, IDLE)


def do_what_is_suggested(context: OptionContext) -> Iterator[Idea]:
    """The sub-agents' suggestions."""
    return map(Idea, context.hints)


def do_what_earned(context: OptionContext) -> Iterator[Idea]:
    """What earned points here in an earlier episode, and has earned none in this one."""
    return map(Idea, context.unclaimed)


def take_advice(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """A suggestion that has not been tried as things are, however little the rules make of it."""
    for action, service in context.hints.items():
        if action not in context.attempts:
            reason = f"{service} suggests it, and nothing better is known"
            yield Idea(action, reason, _ADVICE, insists=True)
