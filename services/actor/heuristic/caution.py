"""When to keep what has been earned: near the end of the budget a death cannot be made good any more."""

from __future__ import annotations

from folds.vocabulary.actions import direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.weights import Factors, Weights
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.situation import Situation

PASTIMES = ("look", "inventory", "wait", "listen", "smell", "examine me", "score", "look up", "look down")
"""What can be done without any risk, each where it is not yet known to be pointless."""

ANOTHER_EPISODE = 100
"""Steps that must be left for another episode to be worth something."""
_LAST, _FEW = 0.1, 20
"""The part of a session that counts as its end, and the steps that do in a short one."""
_HARMLESS = (
    ActionKind.EXAMINE,
    ActionKind.READ,
    ActionKind.SEARCH,
    ActionKind.TAKE,
    ActionKind.DROP,
    ActionKind.WAIT,
)


def is_cautious(situation: Situation, weights: Weights) -> bool:
    """Whether the session is near its end, and the points that a death would cost outweigh those that
    something new has brought on average: before that, the best score is kept whatever happens."""
    known, score = situation.experience, situation.step.score
    is_late = situation.steps_left <= max(_FEW, _LAST * situation.started.steps)
    if score is None or not known.dangers.deaths or not is_late:
        return False
    at_stake = score - known.episode.score
    lost = at_stake * max(0.0, 1.0 - _times_left(situation) / weights.detours)
    return lost * known.dangers.deaths > known.rewards.first_points


def has_time_for_another(situation: Situation, weights: Weights) -> bool:
    """Whether what this episode has earned can be earned again, and more."""
    return _times_left(situation) > weights.detours


def _times_left(situation: Situation) -> float:
    """How often this episode so far would fit into what is left of the budget."""
    return situation.steps_left / max(1, situation.step.step - situation.experience.episode.begun_at)


def is_safe(action: str, room: str, known: Experience) -> bool:
    """Whether an action has been survived here, or is of a kind that hardly ever kills."""
    return action_kind_of(action) in _HARMLESS or action in known.attempts.in_room(room)


def safety_of(action: str, room: str, known: Experience, factors: Factors) -> float:
    """From 1 down: what is left of an action's worth where it was done before deaths, or leads to one."""
    safety = known.dangers.safety_of(room, action, factors.blamed)
    if direction_of(action) and action not in known.map.exits.get(room, {}):
        safety *= known.dangers.safety_of_ways(room, factors.blamed)
    leads_to_death = known.attempts.delayed_deaths.is_cause((room, action))
    return safety * (factors.fatal if leads_to_death else 1.0)
