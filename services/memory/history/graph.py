"""The history of what was believed, in the domain's words: what a store must be able to write and tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from services.memory.beliefs.facts import STILL, Changes, Entity, EntityKind, Turn


class Outcome(StrEnum):
    """How a graph's file was found."""

    CREATED = "created"
    RESUMED = "resumed"
    REBUILT = "rebuilt"


@dataclass(frozen=True, slots=True)
class Opening:
    """Which file a graph was opened on, how it was found, and why it had to be rebuilt."""

    path: Path
    outcome: Outcome
    reason: str = ""


class GraphError(Exception):
    """The graph can not be written or read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(
            f"The memory's graph at {path} failed: {reason}. It is only a view: it is rebuilt from the"
            " session's record as soon as the file can be written; nothing is lost by deleting it."
        )


@dataclass(frozen=True, slots=True)
class Told:
    """An entity that a fact speaks of, and the steps between which the fact held."""

    entity: Entity
    since: int
    until: int = STILL


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a room that was walked, and where it led."""

    action: str
    room: Entity
    since: int


@dataclass(frozen=True, slots=True)
class Blocked:
    """A direction that was tried in a room and did not lead out of it."""

    direction: str
    since: int


@dataclass(frozen=True, slots=True)
class Sighting:
    """A thing was with the player, in a room or inside a thing (`holder`) between two steps."""

    holder: Entity
    since: int
    until: int = STILL


class Graph(Protocol):
    """One session's facts and steps. Tuples are in the order of the steps; arguments are entities' ids.

    Every method raises `GraphError` where the store fails. Calls are served one after another, in order.
    """

    async def write(self, changes: Sequence[Changes]) -> None:
        """Add steps, oldest first: all of them or, on an error, none.

        A step that is held already is left as it is; one that differs from what is held of it replaces that
        and everything after it. So a record may be written twice, and another record takes a file over.
        """

    async def forget_after(self, step: int) -> None:
        """Make the graph what it was after this step."""

    async def last_step(self) -> int:
        """The newest step held; -1 for none."""

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All that was ever met of a kind, in the order of their ids."""

    async def room_now(self) -> Told | None:
        """Where the player is believed to be."""

    async def inventory(self) -> tuple[Told, ...]:
        """What the player is believed to have, inside other things too."""

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        """The ways out of a room that were walked."""

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        """The directions that did not lead out of a room."""

    async def sightings_of(self, thing: str) -> tuple[Sighting, ...]:
        """Where a thing was ever believed to be."""

    async def tried_in(self, room: str) -> tuple[Turn, ...]:
        """The steps whose action was taken in a room."""

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        """The steps whose text was about an entity."""

    async def close(self) -> None:
        """Let go of the store; a second time does nothing."""
