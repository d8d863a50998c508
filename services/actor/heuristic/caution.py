"""When to keep what has been earned: near the end of the budget a death cannot be made good any more."""

from __future__ import annotations

from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.knowledge.experience import Experience
from services.actor.knowledge.situation import Situation

DETOURS = 2.0
"""Regaining what an episode has earned takes at most so many times the steps that earning it took."""

PASTIMES = ("look", "inventory", "wait", "listen", "smell", "examine me", "score", "look up", "look down")
"""What can be done without any risk, each where it is not yet known to be pointless."""

_HARMLESS = (ActionKind.EXAMINE, ActionKind.READ, ActionKind.SEARCH, ActionKind.TAKE, ActionKind.WAIT)


def is_cautious(situation: Situation) -> bool:
    """Whether the points that a death would cost outweigh those that something new has brought on average."""
    known = situation.experience
    if situation.step.score is None or not known.died:
        return False
    stake = situation.step.score - known.begun_with
    lost = stake * max(0.0, 1.0 - _times_left(situation) / DETOURS)
    return lost * known.died > known.first_points


def has_time_for_another(situation: Situation) -> bool:
    """Whether what this episode has earned can be earned again, and more."""
    return _times_left(situation) > DETOURS


def _times_left(situation: Situation) -> float:
    """How often this episode so far would fit into what is left of the budget."""
    left = situation.started.steps - situation.step.step
    return left / max(1, situation.step.step - situation.experience.begun_at)


def is_safe(action: str, room: str, known: Experience) -> bool:
    """Whether an action has been survived here, or is of a kind that hardly ever kills."""
    return action_kind_of(action) in _HARMLESS or action in known.tried.in_room(room)
