"""What every answer needs: the rooms that a question names, and the steps that prove the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from schemas.memory import MemoryAnswer
from services.memory.beliefs.facts import Entity, EntityKind, Fact, is_known_by_text
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
    """The things and characters of a name."""
    return world.index.names.find(name, EntityKind.ITEM, at)[:MAX_OF_ONE_NAME]


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
