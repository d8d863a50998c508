"""A policy that plays by rule: what is new before what is known, the near before the far."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from folds.vocabulary.actions import normal
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.words import words_of
from schemas.fragment import Fragment
from schemas.game import RESTART
from services.actor.heuristic.behaviours.places.travel import stalest
from services.actor.heuristic.caution import PASTIMES, is_cautious, is_safe
from services.actor.heuristic.options import Option, options
from services.actor.heuristic.weights import DEFAULT_WEIGHTS, Weights
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

_LOOK = Choice("look", "nothing else is known")
_ANEW = Choice(RESTART, "nothing else is known, and there is time for another episode")
_WAIT, _PATIENCE = Choice("wait", "nothing else is known, and something may happen"), 2
"""How often one waits where nothing is left to do, before a new beginning."""
_FEW = 20
"""Steps that are too few for another episode."""


class Heuristic:
    """Does what is of most utility by the behaviours."""

    def __init__(self, weights: Weights = DEFAULT_WEIGHTS) -> None:
        self.weights = weights

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The option of most utility; chance decides between near equals."""
        found = self._options(situation, fragments)
        if not found:
            return self._walk(situation) or self._pastime(situation, random)
        jitter = self._jitter(situation)
        best = max(found, key=lambda option: option.utility + random.random() * jitter)
        return Choice(best.action, best.reason)

    def _jitter(self, situation: Situation) -> float:
        """By text alone experiments make each episode another; where valid actions are known, chance must."""
        knows = situation.step.valid_actions is not None
        barren = situation.experience.episode.barren if knows else 0
        return self.weights.jitter * min(1 + barren, self.weights.jitter_most)

    def _options(self, situation: Situation, fragments: Mapping[str, Fragment]) -> list[Option]:
        found = options(situation, self.weights, hints_in(fragments))
        if wanted := frozenset(nouns_in(situation.started.goal)):
            found = [self._valued(option, wanted) for option in found]
        if not is_cautious(situation, self.weights):
            return found
        known = situation.experience
        return [option for option in found if is_safe(option.action, situation.room, known)]

    def _valued(self, option: Option, wanted: frozenset[str]) -> Option:
        """An option that handles what the user's goal names is worth more."""
        if wanted.isdisjoint(words_of(option.action)):
            return option
        return option._replace(utility=option.utility * self.weights.factors.wanted)

    def _walk(self, situation: Situation) -> Choice | None:
        walk = None if is_cautious(situation, self.weights) else stalest(situation)
        return Choice(walk.action, walk.reason) if walk else None

    def _pastime(self, situation: Situation, random: Random) -> Choice:
        """What is without any risk and was done least here; when all is done, a new beginning."""
        tried = situation.attempts.in_world(situation.attempts.world)
        choices = [action for action in PASTIMES if action not in tried]
        if not choices and not situation.repeated("wait", _PATIENCE):
            return _WAIT
        if not choices:
            begins_anew = "restart" not in situation.started.without_behaviours
            return _ANEW if begins_anew and situation.steps_left > _FEW else _LOOK
        done = situation.attempts.in_room(situation.room)
        least = min(done.get(action, 0) for action in choices)
        pick = random.choice([action for action in choices if done.get(action, 0) == least])
        return Choice(pick, "nothing is untried: what was done least")


def hints_in(fragments: Mapping[str, Fragment]) -> Mapping[str, str]:
    """What the sub-agents suggest, and who does so first, in the order of their names."""
    found: dict[str, str] = {}
    for name in sorted(fragments):
        for action in fragments[name].suggestions:
            found.setdefault(normal(action), name)
    found.pop("", None)
    return found
