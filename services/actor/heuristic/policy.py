"""A policy that plays by rule: what is new before what is known, the near before the far."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.fragment import Fragment
from services.actor.heuristic.caution import PASTIMES, has_time_for_another, is_cautious, is_safe
from services.actor.heuristic.options import Option, options
from services.actor.heuristic.reflexes import reflex
from services.actor.heuristic.travel import journeys, stalest
from services.actor.heuristic.weights import DEFAULT_WEIGHTS, Weights
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

_REARRANGING = (ActionKind.DROP, ActionKind.UNDO, ActionKind.PLACE, ActionKind.WAIT)


_LOOK = Choice("look", "nothing else is known")


class Heuristic:
    """Compares everything that could be done here with every room that could be walked to."""

    def __init__(self, weights: Weights = DEFAULT_WEIGHTS) -> None:
        self.weights = weights

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The action of most utility; where nothing is of any use, something seldom done."""
        first = reflex(situation)
        if first:
            return Choice(*first)
        found = self._options(situation, fragments)
        if not found:
            return self._suggested(situation, fragments) or self._something_seldom_done(situation, random)
        jitter = self.weights.jitter
        best = max(found, key=lambda option: option.utility + random.random() * jitter)
        return Choice(best.action, best.reason)

    def _options(self, situation: Situation, fragments: Mapping[str, Fragment]) -> list[Option]:
        known, travel = situation.experience, self.weights.travel
        here = options(situation.step, known, self.weights, hints_in(fragments))
        if not is_cautious(situation, self.weights):
            return [*here, *journeys(situation, travel)]
        risky = [*here, *journeys(situation, travel, for_points=True)]
        return [option for option in risky if is_safe(option.action, situation.room, known)]

    def _suggested(self, situation: Situation, fragments: Mapping[str, Fragment]) -> Choice | None:
        """A suggestion that has not been tried as things are, however little the rules make of it."""
        cautious = is_cautious(situation, self.weights)
        for action, service in hints_in(fragments).items():
            safe = not cautious or is_safe(action, situation.room, situation.experience)
            if safe and not _is_pointless(action, situation):
                return Choice(action, f"{service} suggests it, and nothing better is known")
        return None

    def _something_seldom_done(self, situation: Situation, random: Random) -> Choice:
        """What was done least often here, if it never failed here as things are; else a long walk."""
        possible = PASTIMES if is_cautious(situation, self.weights) else _possible(situation)
        choices = [action for action in possible if not _is_pointless(action, situation)]
        if not choices:
            return self._new_episode(situation) or stalest(situation) or _LOOK
        done = situation.attempts.in_room(situation.room)
        least = min(done.get(action, 0) for action in choices)
        pick = random.choice([action for action in choices if done.get(action, 0) == least])
        return Choice(pick, "nothing is untried: what was done least")

    def _new_episode(self, situation: Situation) -> Choice | None:
        """A victory with nothing left to do is taken where there is time to do better."""
        victories = situation.experience.rewards.victories_in(situation.room)
        if not victories or not has_time_for_another(situation, self.weights):
            return None
        reason = "nothing is left to do here but to win, and there is time for more"
        return Choice(next(iter(victories)), reason)


def hints_in(fragments: Mapping[str, Fragment]) -> Mapping[str, str]:
    """What the sub-agents suggest, and who does so first, in the order of their names."""
    found: dict[str, str] = {}
    for name in sorted(fragments):
        for action in fragments[name].suggestions:
            found.setdefault(normal(action), name)
    found.pop("", None)
    return found


def _possible(situation: Situation) -> tuple[str, ...]:
    valid = situation.step.valid_actions.actions if situation.step.valid_actions else ()
    useful = (normal(action) for action in valid if action_kind_of(action) not in _REARRANGING)
    return tuple(dict.fromkeys((*useful, *situation.map.untried(situation.room))))


def _is_pointless(action: str, situation: Situation) -> bool:
    """Whether it kills here, or has been done in exactly this state."""
    attempts = situation.attempts
    return situation.experience.is_deadly(situation.room, action) or action in attempts.in_world(
        attempts.world
    )
