"""Unexplored ways out of the room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from folds.blocked_ways import opening_in
from folds.text.conditions import Condition
from folds.text.ways import arriving_in
from folds.vocabulary.actions import OPPOSITE, direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import LEVEL_PASSAGES, PASSAGES

_LEAST_RATE = {"north": 0.5, "south": 0.5, "east": 0.5, "west": 0.5, "up": 0.35, "down": 0.35}
"""How likely an unmentioned way is at least to lead somewhere; other ways are less likely."""
_LEAST_TRUST, _LEAST_TRUST_LEVEL = 0.3, 0.6
"""What is left of that for a way that has never led anywhere, and for one on the level."""
_PATIENCE, _BARRED, _NAMED, _AGAIN = 12, 40.0, 60.0, 0.7
"""Steps after which a barred way is tried again if something was gained, else twice as many each time."""
_AT_A_LOSS, _BACK, _OUT = 2, 70.0, 36.0
"""Steps in a room out of which no way is known, before refused ways are tried again."""
_SETTLED, _NEVER = 5, -1_000
"""Steps in what the player got into, before refused ways are tried again, which would lead out of it."""
_THROUGH = 88.0
"""Of what was opened just now."""
_FREEING = {Condition.OPEN: "open", Condition.CLOSED: "unlock"}
"""What has been done to something that is open, and to something that is only closed by now."""
_LEVEL = ("in", "north", "east", "south", "west")
"""Ways that may lead through a door."""
_LEVEL_WAYS: Mapping[str, tuple[str, ...]] = dict.fromkeys(LEVEL_PASSAGES, ("down", "up"))
_RETRIES = 4
"""Of a way that an action may have opened."""
_REOPENINGS = 12
"""Of what has shut again, in an episode."""


def explore(context: OptionContext) -> Iterator[Idea]:
    """Ways with utility and reason, those first that paid before; complete valid actions leave no others
    but those that the room's text names: the answer tells what bars them."""
    chart = context.known.map
    for way, points in context.unclaimed.items():
        possible = way in context.offered or not context.complete
        if direction_of(way) and way not in context.attempts and possible:
            utility = context.weights.actions.rewarded + points
            yield Idea(way, "it earned points in an episode before", utility)
    likely, shut = frozenset(chart.hinted(context.room)), chart.shut(context.room)
    for way in chart.untried(context.room):
        if way in context.deadly or context.known.refusals.is_unknown_verb_of(way):
            continue
        if way in shut:
            again = context.weights.factors.again ** context.known.attempts.in_room(context.room).get(way, 0)
            yield Idea(way, "a text names it, and it is shut", context.weights.ways.shut * again)
        elif way in likely or not context.complete:
            yield Idea(way, "an unexplored way", _utility(way, context, likely=way in likely))


def retry_ways(context: OptionContext) -> Iterator[Idea]:
    """Ways that were refused for a reason of their own: ever more seldom, for the reason may have gone.

    Valid actions tell when it has. What opened a way before is done again where it has shut.
    """
    chart = context.known.map
    for way in chart.barred(context.room):
        if not context.blind and (way in context.attempts or way not in context.offered):
            continue
        times, at = context.done.get(way, 0), context.done_at.get(way, 0)
        gained = context.known.belongings.gained_at > at and times <= _RETRIES
        patience = _PATIENCE if gained else _PATIENCE * 2**times
        if context.step.step - at >= patience and way not in context.deadly:
            utility = _NAMED if way in chart.hinted(context.room) else _BARRED
            yield Idea(way, "it may be free by now", utility * _AGAIN**times)
    for way, opener in chart.reopened_by(context.room).items() if context.blind else ():
        refused_at = context.done_at.get(way, -1)
        is_due = context.done_at.get(opener, -1) < refused_at and opener not in context.deadly
        if is_due and context.done.get(opener, 0) < _REOPENINGS:
            yield Idea(opener, f"it opened {way} before", _THROUGH, insists=True)


def go_through(context: OptionContext) -> Iterator[Idea]:
    """What opens, or was opened here, is gone through: `enter grate`; in floor or ceiling, else down or up.

    So is whatever could not be entered before it was opened or unlocked, and a ferry or the like that has
    just arrived. Where its name does not serve, a way that no text has named leads through it.
    """
    if not context.blind:
        return
    text = context.step.observation
    opening = opening_in(text) if context.conditions or context.known.map.barred(context.room) else ()
    reasons = dict.fromkeys(opening, "it opens") | dict.fromkeys(arriving_in(text), "it has arrived")
    for noun, reason in reasons.items():
        entering = f"enter {noun}"
        if entering not in context.deadly and context.done.get(entering, 0) <= _RETRIES:
            yield Idea(entering, reason, _THROUGH, insists=True)
    walked = context.known.map.exits.get(context.room, {})
    for noun, how in context.conditions.items():
        opened_at = context.last_worked_at(_FREEING[how], noun) if how in _FREEING else -1
        ways = _ways_through(noun, context)
        if opened_at < 0 or walked.keys() & ways or _led_away(context, opened_at):
            continue
        untried = (way for way in ways if _is_due(way, opened_at, context))
        unmentioned = _unmentioned(context) if noun in PASSAGES else iter(())
        way = next(chain(untried, unmentioned), None)
        if way is not None and way not in context.deadly:
            state = "open" if how is Condition.OPEN else "unlocked"
            yield Idea(way, f"the {noun} is {state} now", _THROUGH, insists=True)


def _ways_through(noun: str, context: OptionContext) -> tuple[str, ...]:
    entering = f"enter {noun}"
    if noun in PASSAGES:
        return (entering, *_LEVEL_WAYS.get(noun, ()))
    return (entering,) if entering in context.done_at else ()


def _is_due(way: str, since: int, context: OptionContext) -> bool:
    """Whether a way was not tried after a step, nor so often before that it is vain."""
    return context.done_at.get(way, -1) < since and context.done.get(way, 0) <= _RETRIES


def _led_away(context: OptionContext, since: int) -> bool:
    """Whether what was opened in a step is known to lead away: it freed a way that has led somewhere since.

    So does a way that was walked for the first time in this episode after that step, probably.
    """
    chart, room = context.known.map, context.room
    exits, freed_by = chart.exits.get(room, {}), chart.freed_by(room)
    return any(
        context.done_at.get(freed_by.get(way, ""), -1) == since
        or (context.done.get(way) == 1 and context.done_at[way] > since)
        for way in exits
    )


def _unmentioned(context: OptionContext) -> Iterator[str]:
    """The untried ways on the level of a room that neither the game nor its texts offer."""
    chart = context.known.map
    untried = frozenset(chart.untried(context.room)).difference(chart.hinted(context.room))
    return (way for way in _LEVEL if way in untried)


def find_way_out(context: OptionContext) -> Iterator[Idea]:
    """Where no way is known to lead out: those that were refused before the player came, first the way back.

    Two rooms of one name may have been taken for one, where the text alone tells them apart.
    """
    known, room = context.known, context.room
    if (
        not context.blind
        or known.map.exits.get(room)
        or known.rooms.stayed < _AT_A_LOSS
        or not known.map.entered_by
        or context.step.step - got_into_something_at(context) < _SETTLED
    ):
        return
    back = OPPOSITE.get(known.map.entered_by, "")
    arrived_at, tried = context.step.step - known.rooms.stayed, known.attempts.in_room(room)
    for way in sorted(known.map.blocked.get(room, ()), key=lambda way: (way != back, way)):
        is_due = context.done_at.get(way, 0) <= arrived_at and tried.get(way, 0) <= _RETRIES
        if is_due and way not in context.deadly:
            yield Idea(way, "no way out is known", _BACK if way == back else _OUT, insists=True)


def _utility(way: str, context: OptionContext, *, likely: bool) -> float:
    """A way that the game or its text mentions leads on; another may; the way back leads to what is known."""
    weights, known, room = context.weights, context.known, context.room
    if way == "out" and _has_got_into_something(context):
        return weights.ways.out_again
    if way in known.map.freed.get(room, ()) and context.done.get(way, 0) <= _RETRIES:
        return weights.ways.freed
    utility = _by_the_map(way, context, likely=likely)
    tried = context.done.get(way, 0) + context.ineffective.get(way, 0)
    if context.is_dark:
        utility *= weights.ways.dark
    return max(0.0, utility) * weights.factors.again**tried


def _has_got_into_something(context: OptionContext) -> bool:
    """Whether the player has got into a thing that stands in the room, and not out again."""
    return got_into_something_at(context) > context.done_at.get("out", 0)


def got_into_something_at(context: OptionContext) -> int:
    """The step at which the player last got into a thing that stands in the room; long ago: never."""
    entered = (
        at
        for action, at in context.done_at.items()
        if action_kind_of(action) is ActionKind.MOVE
        and direction_of(action) is None
        and action in context.known.history.effective_in(context.room)
    )
    return max(entered, default=_NEVER)


def _by_the_map(way: str, context: OptionContext, *, likely: bool) -> float:
    weights, chart, room = context.weights.ways, context.known.map, context.room
    if way in chart.freed.get(room, ()):
        return weights.freed
    presumed = way in chart.presumed(room)
    if likely:
        unexplored = weights.likely if context.hurried or not context.blind else weights.unhurried
        return weights.back if presumed else unexplored
    utility = weights.unoffered
    if not chart.offers(room):
        blocked = weights.per_blocked * len(chart.blocked.get(room, ()))
        least = _LEAST_RATE.get(way, 0.2) * (weights.unmentioned_hurried if context.hurried else 1.0)
        rate = max(min(1.0, least), context.known.rates.unlikely_ways.rate)
        least_trust = _LEAST_TRUST_LEVEL if way in _LEVEL[1:] else _LEAST_TRUST
        rate *= max(least_trust, context.known.rates.of_verb(way).trust)
        utility = (weights.other - blocked) * rate * (weights.unlisted if chart.lists(room) else 1.0)
    return utility * weights.back_unlikely if presumed else utility
