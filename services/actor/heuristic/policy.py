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
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

_REARRANGING = (ActionKind.DROP, ActionKind.UNDO, ActionKind.PLACE, ActionKind.WAIT)

JITTER = 2.0
"""Worth by which chance may tip a choice between near equals."""


class Heuristic:
    """Weighs everything that could be done here against every room that could be walked to."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The worthiest action; where nothing is worth anything, something seldom done."""
        first = reflex(situation)
        if first:
            return Choice(*first)
        weighed = _weighed(situation, fragments)
        if not weighed:
            return _novelty(situation, random)
        best = max(weighed, key=lambda option: option.utility + random.random() * JITTER)
        return Choice(best.action, best.reason)


def _weighed(situation: Situation, fragments: Mapping[str, Fragment]) -> list[Option]:
    known = situation.experience
    hints = [normal(a) for name in sorted(fragments) for a in fragments[name].suggestions]
    here = options(situation.step, known, hints)
    if is_cautious(situation):
        risky = [*here, *journeys(situation, for_points=True)]
        return [option for option in risky if is_safe(option.action, situation.room, known)]
    return [*here, *journeys(situation)]


def _novelty(situation: Situation, random: Random) -> Choice:
    """Forced: what was done least often here, if it never failed here as things are; else a long walk."""
    known, room = situation.experience, situation.room
    choices = [action for action in _possible(situation) if not _is_known(action, situation)]
    if is_cautious(situation):
        choices = [action for action in PASTIMES if not _is_known(action, situation)]
    if not choices:
        return _new_episode(situation) or stalest(situation) or Choice("look", "nothing else is known")
    done = known.tried.in_room(room)
    least = min(done.get(action, 0) for action in choices)
    pick = random.choice([action for action in choices if done.get(action, 0) == least])
    return Choice(pick, "nothing is untried: what was done least")


def _new_episode(situation: Situation) -> Choice | None:
    """A victory with nothing left to do is taken where there is time to do better."""
    won = situation.experience.endings.get(situation.room)
    if not won or not has_time_for_another(situation):
        return None
    return Choice(next(iter(won)), "nothing is left to do here but to win, and there is time for more")


def _possible(situation: Situation) -> tuple[str, ...]:
    valid = situation.step.valid_actions.actions if situation.step.valid_actions else ()
    useful = (normal(action) for action in valid if action_kind_of(action) not in _REARRANGING)
    return tuple(dict.fromkeys((*useful, *situation.map.untried(situation.room))))


def _is_known(action: str, situation: Situation) -> bool:
    """Whether it kills here, or has been done in exactly this state."""
    known = situation.experience
    return action in known.deadly(situation.room) or action in known.tried.in_world(known.tried.world)
