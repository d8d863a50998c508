"""An answer that comes again whatever is typed is a question or a trap."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.game import RESTART
from services.actor.heuristic.behaviours.idea import FIRST, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

DEAF = 4
"""The same answer so many times in a row, to actions of different kinds."""
_WAYS_OUT = ("look", "yes", "no", "1", "0", "stand up", "out")


def escape(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Try what answers a question, and then begin anew."""
    answers = context.known.answers
    if answers.is_deaf(DEAF):
        untried = [word for word in _WAYS_OUT if word not in answers.streak]
        reason = f"the last {len(answers.streak)} answers were the same"
        yield Idea(untried[0] if untried else RESTART, reason, FIRST + 1, insists=True)
