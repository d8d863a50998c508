"""The interface of a graph store, in the domain's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from services.memory.beliefs.facts import STILL_VALID, Changes, Entity, EntityKind, EpisodicStep


class GraphLibrary(StrEnum):
    """The library of the graph files: Kuzu, or Ladybug, its successor."""

    KUZU = "kuzu"
    LADYBUG = "ladybug"


class FileStatus(StrEnum):
    """The state of a graph's file when it was opened."""

    CREATED = "created"
    RESUMED = "resumed"
    REBUILT = "rebuilt"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The file of a graph, its state, and why it was rebuilt or is not the first of its session."""

    path: Path
    status: FileStatus
    reason: str = ""


class GraphError(Exception):
    """The graph cannot be written or read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(
            f"The memory's graph at {path} failed: {reason}. It is only a view: the memory rebuilds"
            " it from the session's record as soon as the file can be written. You may delete it."
        )


@dataclass(frozen=True, slots=True)
class DatedEntity:
    """An entity in a fact, and the steps between which the fact was valid."""

    entity: Entity
    since: int
    until: int = STILL_VALID


@dataclass(frozen=True, slots=True)
class Exit:
    """An exit through which the player has walked, and the room to which it led."""

    action: str
    room: Entity
    since: int


@dataclass(frozen=True, slots=True)
class Blocked:
    """A direction in which the player could not leave a room."""

    direction: str
    since: int


@dataclass(frozen=True, slots=True)
class PlacePeriod:
    """Between two steps a thing was with the player, in a room or inside a thing (`holder`)."""

    holder: Entity
    since: int
    until: int = STILL_VALID


class Graph(Protocol):
    """One session's facts and steps. Tuples are in the order of the steps; arguments are entities' ids.

    Every method raises `GraphError` where the store fails. Calls are served one after another, in order.
    """

    async def write(self, changes: Sequence[Changes]) -> None:
        """Add steps, oldest first: all of them or, on an error, none.

        A step that is stored already stays as it is; a step that differs from the stored one replaces it and
        everything after it. So a record may be written twice, and another record may take a file over.
        """

    async def forget_after(self, step: int) -> None:
        """Delete everything that came after this step."""

    async def last_step(self) -> int:
        """The newest step in the graph; -1: there is none."""

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind, in the order of their ids."""

    async def room_now(self) -> DatedEntity | None:
        """Where the player is believed to be."""

    async def inventory(self) -> tuple[DatedEntity, ...]:
        """What the player is believed to have, inside other things too."""

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        """The exits of a room through which the player has walked."""

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        """The blocked directions of a room."""

    async def places_of(self, thing: str) -> tuple[PlacePeriod, ...]:
        """All places of a thing, in order."""

    async def tried_in(self, room: str) -> tuple[EpisodicStep, ...]:
        """The steps whose action was taken in a room."""

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        """The steps whose text mentions an entity."""

    async def close(self) -> None:
        """Close the store; a second call does nothing."""
