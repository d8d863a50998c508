"""Hunger is satisfied, thirst is quenched, and who is tired sleeps."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.things.aptness import DRINKS
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.tool_uses import FOODS
from services.actor.knowledge.experience.needs import Need
from services.actor.knowledge.kinds import FITTING
from services.actor.knowledge.situation import Situation

_URGENT, _SLEEP = 76.0, 58.0
_MOST = 3
"""Times in an episode that the same is done for one need."""
_EDIBLE = FOODS | FITTING[ActionKind.CONSUME]


def meet_needs(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What looks edible is eaten by the hungry, what can be drunk by the thirsty, each once per need."""
    felt = context.known.needs.felt_at
    nouns = tuple(dict.fromkeys((*context.held_nouns, *context.here_or_mentioned)))
    ideas = (
        *((Need.FOOD, f"eat {noun}", _URGENT) for noun in nouns if noun in _EDIBLE),
        *((Need.DRINK, f"drink {noun}", _URGENT) for noun in nouns if noun in DRINKS),
        (Need.SLEEP, "sleep", _SLEEP),
    )
    for need, action, utility in ideas:
        action = normal(action)
        is_due = (
            need in felt and context.done_at.get(action, -1) < felt[need] and action not in context.deadly
        )
        if is_due and context.done.get(action, 0) < _MOST:
            yield Idea(action, f"the player is in want of {need}", utility, insists=True)
