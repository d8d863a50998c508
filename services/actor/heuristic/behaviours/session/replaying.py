"""The way to the best score so far is gone again."""

from __future__ import annotations

from collections.abc import Iterator

from folds.route import names_held
from services.actor.heuristic.behaviours.idea import FIRST, URGENT, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_LOOKS = ("examine", "search", "look under", "look behind", "touch", "read", "smell")
_SENSES = ("listen", "smell", "wait", "sing")
_SPARE, _PART = 5, 5
"""Steps that a route may take longer than it is, and one more for so many stages."""
_QUIET, _SILENT = 30, 40
"""Steps without a new answer and anything untried, from which on one looks about on the way; where time is
short, too."""
_WAITED = 20
"""Steps at the end of a session in which a victory waits for the last."""


def steps_for(stages: int) -> int:
    """Those that may be needed for so many stages of a route: a restart takes some, and not all go well."""
    return stages + _SPARE + stages // _PART


def replay_the_best(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """After a restart, the way to the best score so far, or to what was found last, is gone again; on a long
    one one looks about.

    What has killed elsewhere is dared on it. A victory waits for the last step: another episode would begin.
    """
    route, known = situation.best_route, context.known
    action = route.next(situation.room)
    tried = context.attempts.get(action or "")
    if action is None or (tried is not None and (tried.ended or not context.blind)):
        return
    if action in context.deadly and not route.braves(names_held(situation.step)):
        return
    has_time = situation.steps_left > steps_for(route.left)
    if known.quiet_at(situation.step.step) >= (_QUIET if has_time else _SILENT):
        nouns = context.here_or_mentioned
        for look in (*(f"{verb} {noun}" for verb in _LOOKS for noun in nouns), *_SENSES):
            if look not in context.tried:
                yield Idea(look, "the way is long, and this was never done here", FIRST)
    if route.is_to_be_won and 1 < situation.steps_left <= _WAITED:
        yield Idea("look", "the victory waits for the last step", FIRST, insists=True)
    end = "what was found last" if route.leads_further else "the best score so far"
    yield Idea(action, f"it led to {end}", URGENT, insists=True, dares=True)
