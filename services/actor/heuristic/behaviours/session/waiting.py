"""Waiting where something goes on."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_UTILITY = 60.0


def wait(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """While each wait brings a new text, wait on."""
    if situation.step.action == "wait" and context.known.answers.is_new:
        yield Idea("wait", "waiting brings news", _UTILITY, insists=True)
