"""Chooses actions while the rules have taken over from the model: something untried, near or far."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from folds.map import MapRoute
from language_model.prompting.quoting import plain_line
from schemas.fragment import Fragment
from services.actor.heuristic.behaviours.idea import URGENT
from services.actor.heuristic.behaviours.offered import IDLE
from services.actor.heuristic.behaviours.places.travel import avoided
from services.actor.heuristic.options import options
from services.actor.heuristic.policy import Heuristic, hints_in
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.stagnation import RuleTakeover
from services.actor.policy import Choice

REPORTED_FOR = 5
"""Steps for which the prompt reports a takeover that has ended."""

_ACTION_LENGTH = 30


def new_action(situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
    """A promising direction, here or in a reachable room; else an untried action here; else any direction."""
    choice = _new_action(situation, fragments, random)
    idle = situation.stagnation.takeover.idle if situation.stagnation.takeover else 0
    return Choice(choice.action, f"by rule, for nothing new has come up for {idle} steps: {choice.reason}")


def takeover_note(takeover: RuleTakeover | None, now: int) -> str:
    """The note in the prompt about a takeover that has ended; empty: none has ended lately."""
    if takeover is None or takeover.until is None or now - takeover.until >= REPORTED_FOR:
        return ""
    done = ", ".join(plain_line(action, _ACTION_LENGTH) for action in takeover.actions)
    came = f"That brought {takeover.found}" if takeover.found else "That brought nothing new either"
    steps = f"from step {takeover.since + 1} to {takeover.until}"
    return (
        f"Nothing new had come up for {takeover.idle} steps, so {steps} "
        f"these actions were chosen for you: {done}. {came}. Do something else than before."
    )


def _new_action(situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
    found = options(situation, hints=hints_in(fragments))
    first = max(found, key=lambda option: option.utility, default=None)
    if first is not None and first.utility >= URGENT:
        return Choice(first.action, first.reason)
    ahead = situation.map.nearest_unexplored(situation.room, avoid=avoided(situation.experience))
    if ahead is not None and ahead.then in situation.map.likely(ahead.room):
        return _towards(ahead, situation)
    done = situation.experience.history.done_in(situation.room)
    untried = [option for option in found if option.action not in IDLE and option.action not in done]
    if untried:
        best = max(untried, key=lambda option: option.utility)
        return Choice(best.action, best.reason)
    if ahead is not None:
        return _towards(ahead, situation)
    return Heuristic().choose(situation, fragments, random)


def _towards(ahead: MapRoute, situation: Situation) -> Choice:
    place = plain_line(situation.map.names.get(ahead.room, ahead.room), 60)
    way = f"the unexplored way {ahead.then}"
    if not ahead.actions:
        return Choice(ahead.then or "look", way)
    return Choice(ahead.actions[0], f"towards {way} of {place}")
