"""What every answer needs: the rooms that a question names, and the steps that prove the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from folds.vocabulary.words import head_of, words_of
from schemas.memory import MemoryAnswer
from services.memory.beliefs.facts import HAS, STILL_VALID, Entity, EntityKind, Fact, is_known_by_text
from services.memory.questions.sentences import UNKNOWN_POSITION, never_seen
from services.memory.texts.meaning import Similarities, similarities
from services.memory.timeline.world_model import WorldModel

MAX_LISTED = 200
"""Things and steps in a typed answer, at most."""
MAX_OF_ONE_NAME = 8
"""Entities of one name that an answer describes, at most (the rooms of a maze)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in words, the parts that a pattern found in it, and the step after which it is asked."""

    question: str
    at: int | None
    about: str = ""
    topic: str = ""
    verb: str = ""
    """`smell`: by which sense."""
    alike: Similarities = similarities


Answerer = Callable[[Asked, WorldModel], MemoryAnswer | None]
"""Answers a question; None: it does not know, and another may."""


def rooms_named(name: str | None, world: WorldModel, at: int | None) -> tuple[Entity, ...]:
    """The rooms of a name; None: the room where the player is."""
    if name is None:
        here = world.index.room(at)
        return (world.index.entities[here.object],) if here else ()
    return world.index.names.find(name, EntityKind.ROOM, at)[:MAX_OF_ONE_NAME]


def things_named(name: str, world: WorldModel, at: int | None) -> tuple[Entity, ...]:
    """The things and characters of a name, under the fuller names that the text has given them since."""
    found = world.index.names.find(name, EntityKind.ITEM, at)[:MAX_OF_ONE_NAME]
    return tuple(dict.fromkeys(_in_full(thing, world, at) for thing in found))


def _in_full(thing: Entity, world: WorldModel, at: int | None) -> Entity:
    """The thing as an inventory has listed it: `comb` was taken, and `tortoise-shell comb` is held."""
    held = [fact for fact in world.index.history(thing.id) if fact.relation == HAS]
    end = held[-1].valid_to if held else STILL_VALID
    if not is_known_by_text(thing.id) or end == STILL_VALID or (at is not None and at < end):
        return thing
    words = set(words_of(thing.name))
    begun = (fact for fact in world.changes.up_to(end)[-1].begun if fact.relation == HAS)
    fuller = (world.index.entities[fact.object] for fact in begun)
    is_same = (each for each in fuller if words < set(words_of(each.name)) and head_of(each.name) in words)
    return next(is_same, thing)


def no_room(name: str | None) -> str:
    """The answer where `rooms_named` finds none."""
    return UNKNOWN_POSITION if name is None else never_seen(name)


def any_by_text(entities: Iterable[Entity]) -> bool:
    """Whether any of the entities is known from the text alone."""
    return any(is_known_by_text(entity.id) for entity in entities)


def evidence(steps: Iterable[int | None]) -> tuple[int, ...]:
    """The steps that prove an answer, each once, in order; of very many, the newest."""
    return tuple(sorted({step for step in steps if step is not None}))[-MAX_LISTED:]


def has_begun(fact: Fact, at: int | None) -> bool:
    """Whether a fact was already true after a step."""
    return at is None or fact.valid_from <= at
