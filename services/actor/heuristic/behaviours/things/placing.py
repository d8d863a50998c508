"""Things are put where they may belong."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import KEYS, LIGHTS, OPENABLE, PASSAGES, RECEPTACLES
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.texts import PUT_AWAY

_INTO = OPENABLE.union(
    """
    slot hole machine bowl cup basin sink well vase pot pan bucket pail hopper chute receptacle bin socket
    keyhole vehicle nest fountain fireplace oven
    """.split()
)
_ONTO = frozenset(
    """
    table altar pedestal shelf desk counter platform scale scales hook plate stand throne bench rack tray
    stove mantel mantle mantelpiece windowsill sill workbench
    """.split()
)
_IN_VAIN = 2
"""Things put somewhere without a point before the rest is kept."""
_IN_VAIN_INSIDE = 5
"""The same where something could be put: it may wait for another thing."""
_MANY = 2
"""Things that are worth being laid down for a trial."""
_WHERE_PAID, _NAMED, _UTILITY = 96.0, 58.0, 26.0
_LAID_DOWN, _TAKING_BACK = 6.2, 24.0


def put(context: OptionContext) -> Iterator[Idea]:
    """What is held into what an answer says it lacks; where valid actions are not known, each thing held into
    (or onto) each container (or surface): treasures first, never lights and keys."""
    tried = context.tried
    for idea in _where_it_is_named(context):
        if idea.action not in tried:
            yield idea
        elif context.blind and context.done.get(idea.action) == 1 and _has_taken_since(idea.action, context):
            yield idea._replace(insists=True)
    if not context.blind:
        return
    kept = LIGHTS | KEYS | context.worn_nouns
    empty = context.known.mentions.empty_in(context.room)
    for target in (noun for noun in context.scope if noun not in PASSAGES):
        is_container = target in _INTO or _was_opened(target, context) or target in empty - _ONTO
        link = "in" if is_container else "on" if target in _ONTO else ""
        utility = _utility_of(target, context) if link else 0.0
        for noun in context.treasures_first if utility else ():
            action = normal(f"put {noun} {link} {target}")
            if action not in tried and noun != target and noun not in kept:
                yield Idea(action, "it may belong there", utility)


def _where_it_is_named(context: OptionContext) -> Iterator[Idea]:
    """What is held, and not taken here, into what an answer says to lack it: `It is missing a fuse.`"""
    taken_here = context.known.attempts.gained_in(context.room)
    others = (name for name in context.known.belongings.names if name not in taken_here)
    held = tuple(dict.fromkeys(map(head_of, others)))
    for target, named in context.known.mentions.told_of_things_in(context.room).items():
        is_here = target in context.scope and target not in context.held_nouns
        for noun in (noun for noun in held if is_here and noun in named):
            yield Idea(normal(f"put {noun} in {target}"), "the answer about it names it", _NAMED)


def _has_taken_since(action: str, context: OptionContext) -> bool:
    """Whether something was taken in this room after an action was done in it: there may be room now."""
    attempts, at = context.known.attempts.by_room.get(context.room, ()), context.done_at[action]
    return any(each.gained and each.step > at for each in attempts)


def lay_down(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """All that is held is dropped once in each room, to be taken again: treasures may earn points there."""
    if not context.blind:
        return
    many = len(context.known.belongings.names) >= _MANY
    if many and "drop all" not in context.known.attempts.in_room(context.room):
        yield Idea("drop all", "things may belong here", _LAID_DOWN)


def take_back(context: OptionContext) -> Iterator[Idea]:
    """What was put somewhere in vain, when all else was put there: it may be of use elsewhere."""
    if not context.blind:
        return
    begun_at, belongings = context.known.episode.begun_at, context.known.belongings
    for each in context.known.attempts.by_room.get(context.room, ()):
        if each.step <= begun_at or each.reward > 0 or not PUT_AWAY.fullmatch(each.result):
            continue
        if head_of(each.action) in RECEPTACLES and not context.known.probes.is_useless:
            continue
        for noun in (noun for noun in map(head_of, each.lost) if noun in belongings.laid_down):
            taking = f"take {noun}"
            if context.done_at.get(taking, -1) < each.step:
                yield Idea(taking, "it was put there in vain", _TAKING_BACK, insists=True)


def _was_opened(target: str, context: OptionContext) -> bool:
    opening = f"open {target}"
    times = context.known.attempts.in_room(context.room).get(opening, 0)
    return times > context.ineffective.get(opening, 0)


def _utility_of(target: str, context: OptionContext) -> float:
    record = context.known.rates.targets.get(f"put {target}")
    if record is None:
        return _UTILITY
    if record.points:
        return _WHERE_PAID
    most = _IN_VAIN_INSIDE if record.effects else _IN_VAIN
    return _UTILITY if record.tries < most else 0.0
