"""Facts with a time: what is related to what, from which step to which."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from folds.text.rooms import BY_TEXT

STILL = -1
"""The `valid_to` of a fact that still holds."""

AT, HAS, LOCATED_IN, INSIDE = "at", "has", "located_in", "inside"
IS_A, DOOR_TO = "is_a", "door_to"
"""A thing shows itself to be a container, a character or a door; a door leads to the rooms it is seen in."""
EXIT, LED, BLOCKED, TRIED, LOCKED, SAID = "exit_", "led_", "blocked_", "tried_", "locked_", "said_"
"""Beginnings of relations, which are an open set of names.

`exit_north` was walked and led to a room; `led_rub ring` is no walk, and led there all the same;
`blocked_north` was found to lead nowhere; `tried_north` was tried at all; `locked_north` is shut by a door;
`said_key` is what a character said about a key.
"""
LASTING = (EXIT, LED, BLOCKED, TRIED, SAID, IS_A, DOOR_TO)
"""What a new episode does not end: rooms do not move, and what was learnt is known."""

Triple = tuple[str, str, str]
"""Subject, relation, object; subject and object are ids of entities."""


class EntityKind(StrEnum):
    """What a fact can be about."""

    ROOM = "room"
    ITEM = "item"
    PLAYER = "player"
    DIRECTION = "direction"
    NATURE = "nature"
    SAYING = "saying"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that facts are about. It keeps the name it was first seen by."""

    id: str
    kind: EntityKind
    name: str


PLAYER = Entity("player", EntityKind.PLAYER, "you")


def room_entity(room: str, name: str) -> Entity:
    """The entity of a room, by the room's id in the messages."""
    return Entity(f"room:{room}", EntityKind.ROOM, name)


def direction_entity(direction: str) -> Entity:
    """The entity of a direction: where a blocked way leads."""
    return Entity(f"direction:{direction}", EntityKind.DIRECTION, direction)


CONTAINER = Entity("nature:container", EntityKind.NATURE, "container")
CHARACTER = Entity("nature:character", EntityKind.NATURE, "character")
DOOR = Entity("nature:door", EntityKind.NATURE, "door")


def is_by_text(entity: str) -> bool:
    """Whether an entity is known from the game's text alone, so that another may be taken for it."""
    kind, _, name = entity.partition(":")
    return name.startswith(BY_TEXT) if kind == EntityKind.ROOM else kind == "item" and not name.isdigit()


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that held from step `valid_from` up to, not including, step `valid_to`."""

    subject: str
    relation: str
    object: str
    valid_from: int
    valid_to: int = STILL


@dataclass(frozen=True, slots=True)
class Turn:
    """One step as an episode to remember: what was done where, and what came of it."""

    step: int
    episode: int
    room: str | None
    action: str | None
    observation: str
    score: int | None
    reward: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that one step changed in what is believed. No fact comes before its entities."""

    turn: Turn
    entities: tuple[Entity, ...]
    begun: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    mentions: tuple[str, ...]

    @property
    def step(self) -> int:
        """The step that made these changes."""
        return self.turn.step


class FactLog:
    """The facts that hold now, and what the current step has changed of them."""

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.since: dict[Triple, int] = {}
        self.step = 0
        self._met: list[Entity] = []
        self._ended: list[Fact] = []

    def turn_to(self, step: int) -> None:
        """Begin a new step."""
        self.step, self._met, self._ended = step, [], []

    def meet(self, entity: Entity) -> str:
        """Note an entity, once; its id."""
        if entity.id not in self.entities:
            self.entities[entity.id] = entity
            self._met.append(entity)
        return entity.id

    def begin(self, triple: Triple) -> None:
        """From this step on this holds; nothing where it held already."""
        self.since.setdefault(triple, self.step)

    def end(self, triple: Triple) -> None:
        """From this step on this no longer holds; nothing where it did not."""
        began = self.since.pop(triple, self.step)
        if began < self.step:
            self._ended.append(Fact(*triple, began, self.step))

    def changes(self, turn: Turn, mentions: tuple[str, ...]) -> Changes:
        """What the current step has changed."""
        return Changes(turn, tuple(self._met), self._begun(), tuple(self._ended), mentions)

    def _begun(self) -> tuple[Fact, ...]:
        begun: list[Fact] = []
        for triple, step in reversed(self.since.items()):
            if step != self.step:
                break
            begun.append(Fact(*triple, step))
        return tuple(reversed(begun))
