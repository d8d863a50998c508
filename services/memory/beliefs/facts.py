"""Facts with a time: what is related to what, from which step to which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from sys import intern

from folds.text.headings import BY_TEXT

STILL_VALID = -1
"""The `valid_to` of a fact that still holds."""

AT, HAS, LOCATED_IN, INSIDE = "at", "has", "located_in", "inside"
IS_A, DOOR_TO = "is_a", "door_to"
"""A thing is a container, a character or a door; a door leads to the rooms in which it was seen."""
EXIT, LED, TOLD, BLOCKED, TRIED = "exit_", "led_", "told_", "blocked_", "tried_"
LOCKED, SAID = "locked_", "said_"
"""Prefixes of relations. The direction, the action or the topic follows.

`exit_north`: the player walked north and came to a room. `led_rub ring`: another action led to a room.
`told_south`: the way back to the room before, which the game names and nobody has walked yet.
`blocked_north`: going north led nowhere. `tried_north`: the player tried to go north. `locked_north`: a door
shuts the exit. `said_key`: what a character said about a key.
"""
PERMANENT = (EXIT, LED, TOLD, BLOCKED, TRIED, SAID, IS_A, DOOR_TO)
"""Relations that a new episode does not end: rooms do not move, and knowledge stays."""

Triple = tuple[str, str, str]
"""Subject, relation, object; subject and object are ids of entities."""


class EntityKind(StrEnum):
    """What a fact can be about."""

    ROOM = "room"
    ITEM = "item"
    PLAYER = "player"
    DIRECTION = "direction"
    CATEGORY = "category"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that facts are about. Its name is the one under which it was first seen."""

    id: str
    kind: EntityKind
    name: str


PLAYER = Entity("player", EntityKind.PLAYER, "you")


def room_id(room: str) -> str:
    """The id of a room's entity, by the room's id in the messages. Interned: thousands of facts share it."""
    return intern(f"room:{room}")


def room_entity(room: str, name: str) -> Entity:
    """The entity of a room, by the room's id in the messages."""
    return Entity(room_id(room), EntityKind.ROOM, name)


def direction_entity(direction: str) -> Entity:
    """The entity of a direction: the object of facts about a blocked exit."""
    return Entity(f"direction:{direction}", EntityKind.DIRECTION, direction)


CONTAINER = Entity("category:container", EntityKind.CATEGORY, "container")
CHARACTER = Entity("category:character", EntityKind.CATEGORY, "character")
DOOR = Entity("category:door", EntityKind.CATEGORY, "door")


def is_known_by_text(entity: str) -> bool:
    """Whether an entity is known from the game's text alone; then its identity is uncertain."""
    kind, _, name = entity.partition(":")
    return name.startswith(BY_TEXT) if kind == EntityKind.ROOM else kind == "item" and not name.isdigit()


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that held from step `valid_from` up to, not including, step `valid_to`."""

    subject: str
    relation: str
    object: str
    valid_from: int
    valid_to: int = STILL_VALID


@dataclass(frozen=True, slots=True)
class EpisodicStep:
    """One step in the episodic memory: the action, the room in which it was taken, and its outcome."""

    step: int
    episode: int
    room: str | None
    action: str | None
    observation: str
    score: int | None
    reward: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that one step changed in the beliefs. An entity comes no later than the facts about it."""

    episodic: EpisodicStep
    entities: tuple[Entity, ...]
    begun: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    mentions: tuple[str, ...]

    @property
    def step(self) -> int:
        """The step that made these changes."""
        return self.episodic.step


class FactLog:
    """The facts that hold now, and the changes of the current step."""

    def __init__(self) -> None:
        self.step = 0
        self._entities: dict[str, Entity] = {}
        self._since: dict[Triple, int] = {}
        self._new_entities: list[Entity] = []
        self._ended: list[Fact] = []

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities so far, by id."""
        return self._entities

    def since(self, triple: Triple) -> int | None:
        """The step at which a fact began; None: it does not hold."""
        return self._since.get(triple)

    def begin_step(self, step: int) -> None:
        """Start to collect the changes of a new step."""
        self.step, self._new_entities, self._ended = step, [], []

    def add(self, entity: Entity) -> str:
        """Add an entity unless it is known; return its id."""
        if entity.id not in self._entities:
            self._entities[entity.id] = entity
            self._new_entities.append(entity)
        return entity.id

    def begin(self, triple: Triple) -> None:
        """Begin a fact at the current step; does nothing where it holds already."""
        self._since.setdefault(triple, self.step)

    def end(self, triple: Triple) -> None:
        """End a fact at the current step; does nothing where it does not hold."""
        began = self._since.pop(triple, self.step)
        if began < self.step:
            self._ended.append(Fact(*triple, began, self.step))

    def replace(self, old: Iterable[Triple], new: Iterable[Triple]) -> None:
        """End the facts that are only in `old`, and begin those in `new`."""
        current = tuple(new)
        for triple in old:
            if triple not in current:
                self.end(triple)
        for triple in current:
            self.begin(triple)

    def end_episode(self) -> None:
        """End every fact that does not outlast an episode."""
        for triple in [triple for triple in self._since if not triple[1].startswith(PERMANENT)]:
            self.end(triple)

    def changes(self, episodic: EpisodicStep, mentions: tuple[str, ...]) -> Changes:
        """What the current step has changed so far."""
        return Changes(episodic, tuple(self._new_entities), self._begun(), tuple(self._ended), mentions)

    def _begun(self) -> tuple[Fact, ...]:
        """The newest facts stand last."""
        begun: list[Fact] = []
        for triple, step in reversed(self._since.items()):
            if step != self.step:
                break
            begun.append(Fact(*triple, step))
        return tuple(reversed(begun))
