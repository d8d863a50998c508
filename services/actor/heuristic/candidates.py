"""What could be done here: what the game offers, and what things, texts and people suggest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.words import called, head_of, words_of
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import FIXED, KEYS, LIGHTS, MOVABLE, OPENABLE
from services.actor.knowledge.texts import LOCKED

IDLE = ("look", "listen", "smell", "inventory", "wait")
"""What leaves the world as it is: done where the game may yet find more valid actions in it."""

_HANDLING = ("open", "push", "pull", "turn", "move", "search", "enter", "climb", "read")
_TAKING_AND_HANDLING = ("take", *_HANDLING)
_LOOKING = ("examine", "read")
_HANDLING_HELD = (*_LOOKING, "open", "turn on", "wear", "rub", "wave", "eat")
_SHOVING = ("move", "push")
_PEOPLE = 2
"""People who are spoken to in one room."""


def candidates(context: OptionContext) -> tuple[str, ...]:
    """Every action that may be of use here in its normal form, each once, in a fixed order."""
    step = context.step
    valid = step.valid_actions
    sources = (
        map(normal, valid.actions if valid else ()),
        map(normal, context.hints),
        map(normal, context.unclaimed),
        _with_things(context),
        _with_texts(context),
        _with_keys(context),
        _with_people(context),
        _under_a_burden(context),
        IDLE if valid and not valid.complete else (),
    )
    found: dict[str, None] = {}
    for source in sources:
        found.update(dict.fromkeys(source))
    found.pop("", None)
    return tuple(found)


def lights(known: Experience) -> tuple[str, ...]:
    """Things held that probably give light."""
    return tuple(head_of(name) for name in known.belongings.names if not LIGHTS.isdisjoint(words_of(name)))


def keys(known: Experience) -> tuple[str, ...]:
    """Things held that probably unlock something."""
    found = (KEYS.intersection(words_of(name)) for name in known.belongings.names)
    return tuple(dict.fromkeys(key for words in found for key in sorted(words)))


@lru_cache(maxsize=8192)
def _each(verbs: tuple[str, ...], noun: str) -> tuple[str, ...]:
    """Each verb with a noun, in its normal form."""
    return tuple(normal(f"{verb} {noun}") for verb in verbs)


def _with_things(context: OptionContext) -> Iterator[str]:
    step, held = context.step, context.known.belongings.names
    visible = [thing.name for thing in step.objects or ()]
    nouns = called((*visible, *held))
    for name in visible:
        yield from _with_a_visible_thing(nouns[name], context)
    for name in held:
        yield from _each(_HANDLING_HELD if context.blind else _LOOKING, nouns[name])
    inside = {thing.id for thing in step.inventory or ()}
    for thing in step.inventory or ():
        if thing.container in inside:
            yield normal(f"take {head_of(thing.name)}")


def _with_a_visible_thing(noun: str, context: OptionContext) -> Iterator[str]:
    """Where valid actions are known, only what their search may have missed is added."""
    head, many = head_of(noun), len(context.known.belongings.names) >= context.weights.burden
    yield normal(f"examine {noun}")
    if head not in FIXED and (context.blind or many):
        yield normal(f"take {noun}")
    if context.blind:
        yield from _each(_HANDLING, noun)
        return
    if " " in noun or head in OPENABLE:
        yield normal(f"open {noun}")
    if not context.complete and head in MOVABLE:
        yield from _each(_SHOVING, noun)


def _with_texts(context: OptionContext) -> Iterator[str]:
    """Scenery is looked at first; only what proved to be there (or is made to be opened) is handled."""
    known, blind = context.known, context.blind
    tried = known.attempts.in_room(context.room)
    for noun in known.mentions.nouns_of(context.room):
        look = f"examine {noun}"
        yield normal(look)
        if blind and noun in OPENABLE:
            yield normal(f"open {noun}")
        if blind and look in tried and noun not in context.refused:
            yield from _each(_TAKING_AND_HANDLING, noun)
    if not context.step.world:
        yield "take all"


def _with_keys(context: OptionContext) -> Iterator[str]:
    """What was found locked here is tried with the keys held."""
    held = keys(context.known)
    if not held:
        return
    for attempt in context.known.attempts.by_room.get(context.room, ()):
        if LOCKED.search(attempt.result):
            noun = "door" if direction_of(attempt.action) else attempt.action.rpartition(" ")[2]
            yield from (normal(f"unlock {noun} with {key}") for key in held)


def _with_people(context: OptionContext) -> Iterator[str]:
    known = context.known
    people = [head_of(t.name) for t in context.step.objects or () if known.mentions.is_person(t.name)]
    topics = _topics(context) if people else ()
    for person in people[:_PEOPLE]:
        yield normal(f"talk to {person}")
        yield from (normal(f"ask {person} about {topic}") for topic in topics if topic != person)
        if context.blind:
            yield from (normal(f"give {head_of(name)} to {person}") for name in known.belongings.names)


def _topics(context: OptionContext) -> tuple[str, ...]:
    mentions, most = context.known.mentions, context.weights.topics
    held = map(head_of, context.known.belongings.names)
    seen = (head_of(thing.name) for thing in context.step.objects or ())
    topics: Iterable[str] = (*mentions.names[-most:], *mentions.topics[-most:], *held, *seen)
    return tuple(dict.fromkeys(topics))[: 3 * most]


def _under_a_burden(context: OptionContext) -> Iterator[str]:
    """Room is made for what could not be carried."""
    if context.known.belongings.burdened_at == context.step.step:
        yield from (normal(f"drop {head_of(name)}") for name in context.known.belongings.names)
