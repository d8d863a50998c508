"""Things are put where they may belong."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import KEYS, LIGHTS, OPENABLE
from services.actor.knowledge.situation import Situation

_INTO = OPENABLE.union(
    """
    slot hole machine bowl cup basin sink well vase pot pan bucket pail hopper chute receptacle bin socket
    keyhole vehicle nest fountain fireplace oven
    """.split()
)
_ONTO = frozenset(
    """
    table altar pedestal shelf desk counter platform scale scales hook plate stand throne bench rack tray
    """.split()
)
_IN_VAIN = 2
"""Things put somewhere without a point before the rest is kept."""
_IN_VAIN_INSIDE = 5
"""The same where something could be put: it may wait for another thing."""
_MANY = 2
"""Things that are worth being laid down for a trial."""
_WHERE_PAID, _NAMED, _UTILITY = 96.0, 58.0, 26.0
_LAID_DOWN = 6.2


def put(context: OptionContext) -> Iterator[Idea]:
    """What is held into what an answer says it lacks; where valid actions are not known, each thing held into
    (or onto) each container (or surface): treasures first, never lights and keys."""
    tried = context.tried
    yield from (idea for idea in _where_it_is_named(context) if idea.action not in tried)
    if not context.blind:
        return
    for target in context.scope:
        is_container = target in _INTO or _was_opened(target, context)
        link = "in" if is_container else "on" if target in _ONTO else ""
        utility = _utility_of(target, context) if link else 0.0
        for noun in context.treasures_first if utility else ():
            action = normal(f"put {noun} {link} {target}")
            if action not in tried and noun != target and noun not in LIGHTS | KEYS:
                yield Idea(action, "it may belong there", utility)


def _where_it_is_named(context: OptionContext) -> Iterator[Idea]:
    """What is held into the thing whose answer has named it: `It is missing a fuse.`"""
    held = context.held_nouns
    for target, named in context.known.mentions.told_of_things_in(context.room).items():
        is_here = target in context.scope and target not in held
        for noun in (noun for noun in held if is_here and noun in named):
            yield Idea(normal(f"put {noun} in {target}"), "the answer about it names it", _NAMED)


def lay_down(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """All that is held is dropped once in each room, to be taken again: treasures may earn points there."""
    if not context.blind:
        return
    many = len(context.known.belongings.names) >= _MANY
    if many and "drop all" not in context.known.attempts.in_room(context.room):
        yield Idea("drop all", "things may belong here", _LAID_DOWN)


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
