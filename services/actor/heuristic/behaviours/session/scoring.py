"""The score is asked for, where nothing announces it."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.caution import ANOTHER_EPISODE
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_FIRST = 2
"""The step after which the score of the opening is asked for."""
_OFTEN, _SELDOM = 12, 40
"""Steps between two probes: while the score changes, and after it has not."""


def probe_score(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Early, and after something was gained: type `score`, unless the game tells of points by itself.

    What has earned points is of use in another episode only.
    """
    known, step = context.known, situation.step
    probes = known.probes
    is_secret = context.blind and step.score is None and not probes.is_useless
    if not is_secret or situation.best_route.is_under_way or situation.steps_left < ANOTHER_EPISODE:
        return
    gained_at = max(known.belongings.gained_at, known.rooms.new_at)
    since = step.step - max(probes.asked_at, known.episode.begun_at)
    delivered = action_kind_of(step.action or "") is ActionKind.DROP and step.changed
    was_asked_for = delivered and known.instructions.asks_for_any(context.room)
    is_due = gained_at > probes.asked_at and since >= (_SELDOM if probes.in_vain else _OFTEN)
    if was_asked_for or is_due or (not probes.asked_at and step.step > _FIRST):
        yield Idea("score", "whether something has earned points", URGENT - 1, insists=True)
