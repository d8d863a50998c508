"""A new beginning, where this episode leads nowhere any more."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.game import RESTART
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.behaviours.places.darkness import has_light
from services.actor.heuristic.behaviours.session.replaying import steps_for
from services.actor.heuristic.caution import ANOTHER_EPISODE, has_time_for_another
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_NOTHING_NEW, _MOST_PATIENT = 60, 4
"""Steps without a new answer, times the number of the episode (up to this), before it is given up."""
_NO_WAY_OUT = 20
"""The same in a room out of which no way is known but such as kill."""
_NOTHING_TRIED, _AT_LEAST = 24, 12
"""Steps without a new answer and anything untried, since the best route ended, before it is given up: the
sooner, the longer the best route, which comes next."""
_IN_VAIN = 24
"""Steps without any effect, where no actions are valid but those that are known."""
_LEAST = 30
"""Steps that must be left beyond the best route for another episode, where nothing is untried in this."""
_LONGEST = 0.2
"""The part of a session that the best known route may take at its end."""
_LOST = 10
"""Steps that brought it on by no stage, after which a route is not being followed."""
_UTILITY = 7.0
_SHUT_IN, _ROOMS, _GIVING_UP = 60, 3, 90.0
"""Steps in a room without a way out, and rooms that must be known, before the player gives up."""
_IN_THE_DARK = 40
"""Steps in the dark after which whoever has lost the light gives up."""


def restart(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Long without anything new, and time for another episode: begin anew."""
    known, now = situation.experience, situation.step.step
    ways = situation.map.exits.get(situation.room, {}).keys() - context.deadly
    patience = _NOTHING_NEW if ways else _NO_WAY_OUT
    patience *= min(_MOST_PATIENT, known.episode.number)
    idle = known.idle_at(now)
    is_exhausted, worth = _is_exhausted(situation, context), ANOTHER_EPISODE
    if is_exhausted:
        worth = min(worth, len(situation.best_route.stages) + _LEAST)
    if (idle >= patience or is_exhausted) and situation.steps_left > worth:
        yield Idea(RESTART, f"nothing new for {idle} steps", _UTILITY, insists=True)


def _is_exhausted(situation: Situation, context: OptionContext) -> bool:
    """Whether long nothing untried is done or, where all valid actions are known, nothing with an effect."""
    known, route, now = situation.experience, situation.best_route, situation.step.step
    stale = min(known.stale_at(now), now - route.followed_at)
    in_vain = now - max(known.effect_at, known.episode.begun_at, route.followed_at)
    is_stale = stale >= max(_AT_LEAST, _NOTHING_TRIED - len(route.stages))
    return is_stale or (context.complete and in_vain >= _IN_VAIN)


def give_up(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Long in the dark, or in a room out of which no way is known but such as kill: begin anew.

    Not where the best route, which comes next, would make it a long time without anything new.
    """
    known, chart, room = situation.experience, situation.map, situation.room
    ways = {*chart.exits.get(room, ()), *chart.likely(room), *chart.presumed(room)} - context.deadly
    is_vain = known.rooms.stayed >= _SHUT_IN / (1 + known.rooms.given_up[room]) and len(chart.names) >= _ROOMS
    is_quiet_soon = known.is_quiet_at(situation.step.step + len(situation.best_route.stages))
    if situation.steps_left <= ANOTHER_EPISODE:
        return
    if is_vain and not ways and not is_quiet_soon:
        yield Idea(RESTART, f"no way out was found in {known.rooms.stayed} steps", _GIVING_UP, insists=True)
    dark_for, was_lit = situation.step.step - known.rooms.lit_at, known.rooms.lit_at > known.episode.begun_at
    if context.is_dark and was_lit and dark_for >= _IN_THE_DARK and not has_light(known):
        yield Idea(RESTART, f"there has been no light for {dark_for} steps", _GIVING_UP, insists=True)


def end_well(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """At the end of a session that is behind its best score: once more the best known route."""
    route, left, now = situation.best_route, situation.steps_left, situation.step.step
    needed, budget = steps_for(len(route.stages)), situation.started.steps
    is_due = len(route.stages) < left - 1 and left <= needed <= _LONGEST * budget
    is_new = situation.experience.episode.begun_at >= budget - needed and not route.is_free
    is_followed = route.is_under_way and now - route.followed_at < _LOST
    if is_due and not is_new and route.is_behind and not is_followed:
        yield Idea(RESTART, "the best known route once more, before the end", URGENT, insists=True)


def win_again(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """A victory with nothing left to do is taken where there is time to do better."""
    victories = situation.experience.rewards.victories_in(situation.room)
    if victories and has_time_for_another(situation, context.weights):
        reason = "nothing is left to do here but to win, and there is time for more"
        yield Idea(next(iter(victories)), reason, _UTILITY, insists=True)
