"""Facts with a time: what is related to what, from which step to which."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

STILL = -1
"""The `valid_to` of a fact that still holds."""

AT, HAS, LOCATED_IN, INSIDE = "at", "has", "located_in", "inside"
EXIT, TRIED = "exit_", "tried_"
"""Relations are an open set of names: `exit_north` leads to a room, `tried_north` was found blocked."""

Triple = tuple[str, str, str]
"""Subject, relation, object; subject and object are ids of entities."""


class EntityKind(StrEnum):
    """What a fact can be about."""

    ROOM = "room"
    ITEM = "item"
    PLAYER = "player"
    DIRECTION = "direction"


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


class Ledger:
    """The facts that hold now, and what the current step has changed of them."""

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.since: dict[Triple, int] = {}
        self._step = 0
        self._met: list[Entity] = []
        self._ended: list[Fact] = []

    def turn_to(self, step: int) -> None:
        """Begin a new step."""
        self._step, self._met, self._ended = step, [], []

    def meet(self, entity: Entity) -> str:
        """Note an entity, once; its id."""
        if entity.id not in self.entities:
            self.entities[entity.id] = entity
            self._met.append(entity)
        return entity.id

    def begin(self, triple: Triple) -> None:
        """From this step on this holds; nothing where it held already."""
        self.since.setdefault(triple, self._step)

    def end(self, triple: Triple) -> None:
        """From this step on this no longer holds; nothing where it did not."""
        began = self.since.pop(triple, self._step)
        if began < self._step:
            self._ended.append(Fact(*triple, began, self._step))

    def changes(self, turn: Turn, mentions: tuple[str, ...]) -> Changes:
        """What the current step has changed."""
        return Changes(turn, tuple(self._met), self._begun(), tuple(self._ended), mentions)

    def _begun(self) -> tuple[Fact, ...]:
        begun: list[Fact] = []
        for triple, step in reversed(self.since.items()):
            if step != self._step:
                break
            begun.append(Fact(*triple, step))
        return tuple(reversed(begun))
