"""What is done with things: those that are seen and held, and those that texts mention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from folds.vocabulary.actions import normal
from folds.vocabulary.words import called, head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import BUILDINGS, FIXED, MOVABLE, OPENABLE

_HANDLING = ("open", "push", "pull", "turn", "move", "search", "enter", "climb", "read")
_HANDLING_DOORS = tuple(verb for verb in _HANDLING if verb != "climb")
_HANDLING_WAYS = tuple(verb for verb in _HANDLING_DOORS if verb != "enter")
_DOORS = frozenset(("door", "doors", "doorway"))
_LOOKING = ("examine", "read")
_HANDLING_HELD = (*_LOOKING, "open", "turn on", "wear", "rub", "wave", "eat")
_SHOVING = ("move", "push")


def handle_things(context: OptionContext) -> Iterator[Idea]:
    """What is seen is taken and handled, what is held is looked at and used."""
    step, held = context.step, context.known.belongings.names
    visible = [] if context.is_dark else [thing.name for thing in step.objects or ()]
    nouns = called((*visible, *held))
    doubles = context.known.mentions.synonyms_in(context.room)
    for name in (name for name in visible if nouns[name] not in doubles):
        yield from map(Idea, _with_a_visible_thing(nouns[name], context))
    for name in held:
        yield from map(Idea, _each(_HANDLING_HELD if context.blind else _LOOKING, nouns[name]))
    inside = {thing.id for thing in step.inventory or ()}
    for thing in step.inventory or ():
        if thing.container in inside:
            yield Idea(normal(f"take {head_of(thing.name)}"))


def _with_a_visible_thing(noun: str, context: OptionContext) -> Iterator[str]:
    """Where valid actions are known, only what their search may have missed is added."""
    head, many = head_of(noun), len(context.known.belongings.names) >= context.weights.burden
    yield normal(f"examine {noun}")
    if head not in FIXED and (context.blind or many):
        yield normal(f"take {noun}")
    if context.blind:
        yield from _each(_handling(head, context), noun)
        return
    if " " in noun or head in OPENABLE:
        yield normal(f"open {noun}")
    if not context.complete and head in MOVABLE:
        yield from _each(_SHOVING, noun)


def handle_mentions(context: OptionContext) -> Iterator[Idea]:
    """Scenery is looked at first; what proved to be there, or is made to be opened or entered, is handled."""
    known, blind = context.known, context.blind
    if context.is_dark:
        return
    tried = known.attempts.in_room(context.room)
    doubles = known.mentions.synonyms_in(context.room)
    for noun in (noun for noun in known.mentions.nouns_of(context.room) if noun not in doubles):
        look = f"examine {noun}"
        yield Idea(normal(look))
        if blind and noun in OPENABLE:
            yield Idea(normal(f"open {noun}"))
        if blind and noun in BUILDINGS:
            yield Idea(normal(f"enter {noun}"))
        is_looked_at = look in tried or known.refusals.is_unknown_verb_of(look)
        if blind and is_looked_at and noun not in context.refused:
            yield from map(Idea, _each(("take", *_handling(noun, context)), noun))


def _handling(noun: str, context: OptionContext) -> tuple[str, ...]:
    """The verbs for a thing; who walks in the direction of a door goes through it, and nobody climbs one."""
    is_on_way = noun in context.known.mentions.on_ways_of(context.room)
    return _HANDLING_WAYS if is_on_way else _HANDLING_DOORS if noun in _DOORS else _HANDLING


@lru_cache(maxsize=8192)
def _each(verbs: tuple[str, ...], noun: str) -> tuple[str, ...]:
    """Each verb with a noun, in its normal form."""
    return tuple(normal(f"{verb} {noun}") for verb in verbs)
