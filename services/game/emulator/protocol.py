"""What the client and its child say to each other: one JSON object a line.

Standard library only: the child imports this module, and must start fast.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from services.game.sources import Source, Sources, TextKind


@dataclass(frozen=True, slots=True)
class Load:
    """Start this story; the first request, and the only one of its kind. Answered by Loaded."""

    path: str
    seed: int
    search: bool
    """Whether Find will be asked: then the state at each step is remembered for it."""


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
    """Look for the valid actions here. Answered by Found."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The story has been started. A child that cannot start it says so on stderr, and exits."""

    known: bool
    """Whether the emulator knows this very story (and so its score, moves and end)."""
    max_score: int | None
    max_score_source: Source = Source.UNKNOWN


@dataclass(frozen=True, slots=True)
class Thing:
    """An object that the player holds or sees."""

    id: int
    name: str
    container: int | None = None


@dataclass(frozen=True, slots=True)
class Valid:
    """Actions found to change the world here, best first."""

    actions: tuple[str, ...]
    complete: bool
    """Whether every candidate was tried."""
    tried: int


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
    valid: Valid | None
    """None: not looked for. The child leaves it so; the client fills it in."""
    done: bool
    victory: bool
    kind: TextKind = TextKind.STORY
    """What the observation is."""
    begins: bool = False
    """Whether this is an episode's opening."""
    gained: int = 0
    """Points that the text announces; for where the score is not known."""
    sources: Sources = field(default_factory=Sources)


@dataclass(frozen=True, slots=True)
class Found:
    """What Find has found; None: the game is over, or the child was told not to search."""

    valid: Valid | None


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
        return Loaded(**(fields | {"max_score_source": Source(fields["max_score_source"])}))
    if kind == "Found":
        return Found(valid_in(fields["valid"]))
    return Played(**(fields | parsed_in(fields)))


def parsed_in(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of Played that are not plain."""
    return {
        "inventory": things_in(fields["inventory"]),
        "objects": things_in(fields["objects"]),
        "kind": TextKind(fields["kind"]),
        "sources": Sources(**{name: Source(source) for name, source in fields["sources"].items()}),
    }


def only_item(line: bytes) -> tuple[str, dict[str, Any]]:
    [(name, fields)] = json.loads(line).items()
    return name, fields


def things_in(listed: list[dict[str, Any]] | None) -> tuple[Thing, ...] | None:
    return None if listed is None else tuple(Thing(**thing) for thing in listed)


def valid_in(found: dict[str, Any] | None) -> Valid | None:
    if found is None:
        return None
    return Valid(tuple(found["actions"]), found["complete"], found["tried"])
