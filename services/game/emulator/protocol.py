"""What the client and its child say to each other: one JSON object a line.

Standard library only: the child imports this module, and must start fast.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Load:
    """Start this story; the first request, and the only one of its kind. Answered by Loaded."""

    path: str
    seed: int


@dataclass(frozen=True, slots=True)
class Opening:
    """Begin the story from its opening, as if nothing had been played. Answered by Played."""


@dataclass(frozen=True, slots=True)
class Play:
    """Execute one action. Answered by Played."""

    action: str


@dataclass(frozen=True, slots=True)
class Stay:
    """Take no action; answer with this observation of the world as it is. Answered by Played."""

    observation: str


@dataclass(frozen=True, slots=True)
class Find:
    """Look for valid actions here. Answered by Found."""

    tried: tuple[str, ...]
    """What need not be tried again."""
    worked: tuple[str, ...]
    """What of it changed the world."""
    limit: int
    """How many candidates may be tried."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """The story has been started. A child that cannot start it says so on stderr, and exits."""

    known: bool
    """Whether the emulator knows this very story (and so its score, moves and end)."""
    max_score: int | None


@dataclass(frozen=True, slots=True)
class Thing:
    """An object that the player holds or sees."""

    id: int
    name: str
    container: int | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action led to."""

    action: str
    world: str
    score: int | None
    done: bool


@dataclass(frozen=True, slots=True)
class Played:
    """What came of an action. None: unknown."""

    observation: str
    room_id: str | None
    room_name: str | None
    inventory: tuple[Thing, ...] | None
    objects: tuple[Thing, ...] | None
    score: int | None
    max_score: int | None
    moves: int | None
    world: str
    """Hash of the object tree: equal where the world is."""
    changed: bool
    done: bool
    victory: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What was tried now, which of it changed the world, and whether nothing is left to try."""

    tried: tuple[str, ...]
    effects: tuple[Effect, ...]
    complete: bool


Request = Load | Opening | Play | Stay | Find
Answer = Loaded | Played | Found

REQUESTS: Mapping[str, type[Request]] = {kind.__name__: kind for kind in (Load, Opening, Play, Stay, Find)}


def encoded(said: Request | Answer) -> bytes:
    """One line, its newline included."""
    return json.dumps({type(said).__name__: asdict(said)}, separators=(",", ":")).encode() + b"\n"


def request_in(line: bytes) -> Request:
    kind, fields = only_item(line)
    return REQUESTS[kind](**fields)


def answer_in(line: bytes) -> Answer:
    kind, fields = only_item(line)
    if kind == "Loaded":
        return Loaded(**fields)
    if kind == "Found":
        effects = tuple(Effect(**effect) for effect in fields["effects"])
        return Found(tuple(fields["tried"]), effects, fields["complete"])
    parsed = {"inventory": things_in(fields["inventory"]), "objects": things_in(fields["objects"])}
    return Played(**(fields | parsed))


def only_item(line: bytes) -> tuple[str, dict[str, Any]]:
    [(name, fields)] = json.loads(line).items()
    return name, fields


def things_in(listed: list[dict[str, Any]] | None) -> tuple[Thing, ...] | None:
    return None if listed is None else tuple(Thing(**thing) for thing in listed)
