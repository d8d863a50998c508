"""Treasures are taken to where they may count."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import action_kind_of
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.experience.rewards import LEAVING
from services.actor.knowledge.experience.success import thing_of
from services.actor.knowledge.kinds import KEYS, LIGHTS

_PAID, _TRIAL, _NEAR = 96.0, 46.0, 30.0
"""Where others counted, where they may count, and next to where the story began."""
_OF_USE = KEYS | LIGHTS | {"coin", "coins"}
_IN_VAIN = 2
"""Treasures laid down in a room without a point before the rest is kept."""


def deposit(context: OptionContext) -> Iterator[Idea]:
    """Each treasure held is left where others have earned points by it; before that, in likely places."""
    utility = _worth_of_leaving(context.room, context.known)
    for action in _awaited_in(context.room, context.known) if utility else ():
        yield Idea(action, "treasures may count here", utility, insists=True)


def _treasures_held(known: Experience) -> tuple[str, ...]:
    """The nouns of what is held and worth leaving somewhere: no tools, and no small money."""
    earned = known.rewards.treasures
    held = ((head_of(name), name) for name in known.belongings.names)
    found = (noun for noun, name in held if noun in earned or known.instructions.is_treasure(name))
    return tuple(noun for noun in dict.fromkeys(found) if noun not in _OF_USE)


def worth_of_bringing_treasures(room: str, known: Experience) -> float:
    """What a room is worth going to with the treasures held; 0: nothing more is to be left there."""
    if not _treasures_held(known):
        return 0.0
    utility = _worth_of_leaving(room, known)
    return utility if utility and next(_awaited_in(room, known), None) else 0.0


def _worth_of_leaving(room: str, known: Experience) -> float:
    """What it is worth to leave a treasure in a room, as far as is known; 0: nothing."""
    if room in known.rewards.paid_for_leaving:
        return _PAID
    left = [action for action in known.attempts.in_room(room) if action_kind_of(action) in LEAVING]
    if known.rewards.paid_for_leaving or len(left) >= _IN_VAIN:
        return 0.0
    if room == known.episode.room or known.rooms.receptacles.get(room):
        return _TRIAL
    return _NEAR if room in known.map.exits.get(known.episode.room, {}).values() else 0.0


def _awaited_in(room: str, known: Experience) -> Iterator[str]:
    """The actions that would leave treasures in a room: once in an episode where it counts, else once."""
    treasures, is_paid = _treasures_held(known), room in known.rewards.paid_for_leaving
    done = known.history.done_in(room) if is_paid else known.attempts.in_room(room)
    taken_here = () if is_paid else known.attempts.gained_in(room)
    vain = {f"drop {head_of(name)}" for name in taken_here}
    actions = (normal(form.format(noun)) for form in _forms(room, known) for noun in treasures)
    new = (action for action in actions if action not in done and action not in vain)
    yield from (action for action in new if not known.is_deadly(room, action))


def _forms(room: str, known: Experience) -> tuple[str, ...]:
    """How a treasure may be left in a room, `{0}` in its place."""
    if room in known.rewards.paid_for_leaving:
        paid = (each for each in known.attempts.earned_in(room) if action_kind_of(each) in LEAVING)
        return tuple(dict.fromkeys(each.replace(thing_of(each), "{0}", 1) for each in paid if thing_of(each)))
    into = (f"put {{0}} {link} {noun}" for noun, link in known.rooms.receptacles.get(room, {}).items())
    return (*into, "drop {0}")
