"""The way to the best score so far is gone again."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation


def replay_the_best(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """After a restart, the way to the best score so far is gone again."""
    action = situation.best_route.next(situation.room)
    if action is not None and action not in context.attempts and action not in context.deadly:
        yield Idea(action, "it led to the best score so far", URGENT, insists=True)
