"""What the client and its child say to each other: one JSON object a line.

Standard library only: the child imports this module, and must start fast.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from schemas.sources import Source, TextKind
from services.game.reading.sources import Sources


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
    """Look for valid actions here, on from where a search of this world stopped. Answered by Found."""

    known: tuple[str, ...]
    """What it had found."""
    tried: int
    """How many candidates it had tried."""
    limit: int
    """How many more may be tried."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Replay:
    """Execute these one after the other, fast. Answered by Replayed."""

    moves: tuple[Play | Stay, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Tell everything that decides how the game goes on. Answered by Saved."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Stand where a child of this story stood that gave this snapshot. Answered by Played or Refused."""

    snapshot: str


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
    kind: TextKind = TextKind.STORY
    """What the observation is."""
    begins: bool = False
    """Whether this is an episode's opening."""
    gained: int = 0
    """Points that the text announces; for where the score is not known."""
    sources: Sources = field(default_factory=Sources)


@dataclass(frozen=True, slots=True)
class Found:
    """The valid actions, one for each effect, and whether every candidate was tried."""

    actions: tuple[str, ...]
    tried: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Echo:
    """What playing a step again came to, as far as it is compared with the record or counted."""

    world: str
    observation: str
    score: int | None
    victory: bool


@dataclass(frozen=True, slots=True)
class Replayed:
    """What each move of a Replay came to."""

    echoes: tuple[Echo, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """A snapshot, as text."""

    snapshot: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A snapshot that is broken, or of another story or format; the child stands where it stood."""

    why: str


Move = Play | Stay
Request = Load | Opening | Play | Stay | Find | Replay | Snapshot | Restore
Answer = Loaded | Played | Found | Replayed | Saved | Refused

REQUESTS: Mapping[str, type[Request]] = {
    kind.__name__: kind for kind in (Load, Opening, Play, Stay, Snapshot, Restore)
}


def encoded(said: Request | Answer) -> bytes:
    """One line, its newline included."""
    return json.dumps({type(said).__name__: fields_of(said)}, separators=(",", ":")).encode() + b"\n"


def fields_of(said: Request | Answer) -> dict[str, Any]:
    """The fields by name. Lists within are short ones, lest every step pay for taking them apart."""
    match said:
        case Played():
            fields = {name: getattr(said, name) for name in said.__slots__}
            lists = {"inventory": rows(said.inventory), "objects": rows(said.objects)}
            return fields | lists | {"sources": list(shallow(said.sources).values())}
        case Replay(moves):
            return {"moves": [[type(move).__name__, *shallow(move).values()] for move in moves]}
        case Replayed(echoes):
            return {"echoes": [list(shallow(echo).values()) for echo in echoes]}
        case _:
            return asdict(said)


def shallow(said: Play | Stay | Echo | Sources) -> dict[str, Any]:
    return {name: getattr(said, name) for name in said.__slots__}


def rows(things: tuple[Thing, ...] | None) -> list[list[Any]] | None:
    return None if things is None else [[thing.id, thing.name, thing.container] for thing in things]


def request_in(line: bytes) -> Request:
    kind, fields = only_item(line)
    if kind == "Replay":
        return Replay(tuple(Play(text) if name == "Play" else Stay(text) for name, text in fields["moves"]))
    if kind == "Find":
        return Find(**(fields | {"known": tuple(fields["known"])}))
    return REQUESTS[kind](**fields)


def answer_in(line: bytes) -> Answer:
    kind, fields = only_item(line)
    match kind:
        case "Loaded":
            return Loaded(**(fields | {"max_score_source": Source(fields["max_score_source"])}))
        case "Found":
            return Found(tuple(fields["actions"]), fields["tried"], fields["complete"])
        case "Replayed":
            return Replayed(tuple(Echo(*echo) for echo in fields["echoes"]))
        case "Saved":
            return Saved(**fields)
        case "Refused":
            return Refused(**fields)
    return Played(**(fields | parsed_in(fields)))


def parsed_in(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of Played that are not plain."""
    return {
        "inventory": things_in(fields["inventory"]),
        "objects": things_in(fields["objects"]),
        "kind": TextKind(fields["kind"]),
        "sources": Sources(*map(Source, fields["sources"])),
    }


def only_item(line: bytes) -> tuple[str, dict[str, Any]]:
    [(name, fields)] = json.loads(line).items()
    return name, fields


def things_in(listed: list[list[Any]] | None) -> tuple[Thing, ...] | None:
    return None if listed is None else tuple(Thing(*row) for row in listed)
