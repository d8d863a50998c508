"""The messages between the client and its child: one line of JSON each.

The child imports this module, so it must import fast: no pydantic.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.json import Decoder, Encoder

from schemas.sources import Source, TextKind
from zmachine.reading.sources import ValueSources


class SnapshotRefused(Exception):
    """The snapshot is damaged, or it belongs to another story or another format."""


class PipeMessage(Struct, frozen=True, array_like=True, tag=True):
    """A request to the child or its answer. On the wire it is an array that begins with the type's name."""


FIRST_PROMPT = 5.0
"""Seconds of processor time in which a story must come to its first prompt; it takes a tenth of one."""


class Load(PipeMessage, frozen=True):
    """Start this story; the first request, and the only one of its kind. Answered by Loaded."""

    path: str
    seed: int


class Begin(PipeMessage, frozen=True):
    """Begin the story from its opening, as if nothing had been played. Answered by Played."""


class Play(PipeMessage, frozen=True):
    """Execute one action. Answered by Played."""

    action: str


class Stay(PipeMessage, frozen=True):
    """Execute no action; answer with this observation of the unchanged world. Answered by Played."""

    observation: str


class SearchActions(PipeMessage, frozen=True):
    """Search for valid actions here, from where an earlier search of this world stopped.

    Answered by ActionsFound.
    """

    known: tuple[str, ...]
    """The valid actions that the earlier search found."""
    tried: int
    """How many candidates it tried."""
    limit: int
    """How many more may be tried."""
    seconds: float
    """A safety net: the clock ends a search that takes so long."""


class ReplayMoves(PipeMessage, frozen=True):
    """Execute these moves in order, with short answers. Answered by MovesReplayed."""

    moves: tuple[Play | Stay, ...]


class TakeSnapshot(PipeMessage, frozen=True):
    """Save everything that decides how the game goes on. Answered by SnapshotTaken."""


class RestoreSnapshot(PipeMessage, frozen=True):
    """Return to the moment of a snapshot of this story. Answered by Played or SnapshotRejected."""

    snapshot: str


class Loaded(PipeMessage, frozen=True):
    """The story has been started. A child that cannot start it writes why to stderr, and exits."""

    known: bool
    """Whether the emulator knows this very story (and so its score, moves and end)."""
    max_score: int | None
    max_score_source: Source = Source.UNKNOWN
    status_line: bool = False
    """Whether a human sees a status line over this story's text."""


class StatusLine(Struct, frozen=True, array_like=True):
    """What a human reads in the line above the text. None: it shows no such value."""

    place: str = ""
    score: int | None = None
    moves: int | None = None


class ObservedObject(Struct, frozen=True, array_like=True):
    """An object that the player holds or sees."""

    id: int
    name: str
    container: int | None = None
    words: tuple[str, ...] = ()


class Played(PipeMessage, frozen=True):
    """The result of an action. None: unknown."""

    observation: str
    room_id: str | None
    room_name: str | None
    inventory: tuple[ObservedObject, ...] | None
    objects: tuple[ObservedObject, ...] | None
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
    """Points that the text announces; for games whose score is not known."""
    sources: ValueSources = field(default_factory=ValueSources)
    status_line: StatusLine | None = None
    """None: a human sees none."""


class ActionsFound(PipeMessage, frozen=True):
    """The valid actions, one for each effect."""

    actions: tuple[str, ...]
    tried: int
    complete: bool
    """Whether every candidate was tried."""
    cut: bool = False
    """Whether the clock ended the search."""


class MoveReplayed(Struct, frozen=True, array_like=True):
    """The part of a replayed move's result that is compared with the record or counted."""

    world: str
    observation: str
    score: int | None
    victory: bool


class MovesReplayed(PipeMessage, frozen=True):
    """The result of each move of a ReplayMoves."""

    results: tuple[MoveReplayed, ...]


class SnapshotTaken(PipeMessage, frozen=True):
    """A snapshot, as text."""

    snapshot: str


class SnapshotRejected(PipeMessage, frozen=True):
    """The snapshot cannot be restored; the game stays where it was."""

    reason: str


Move = Play | Stay
Request = Load | Begin | Play | Stay | SearchActions | ReplayMoves | TakeSnapshot | RestoreSnapshot
Answer = Loaded | Played | ActionsFound | MovesReplayed | SnapshotTaken | SnapshotRejected

_ENCODER = Encoder()
_REQUESTS: Decoder[Request] = Decoder(Request)
_ANSWERS: Decoder[Answer] = Decoder(Answer)


def encoded(message: Request | Answer) -> bytes:
    """One line, its newline included."""
    return _ENCODER.encode(message) + b"\n"


def request_in(line: bytes) -> Request:
    return _REQUESTS.decode(line)


def answer_in(line: bytes) -> Answer:
    return _ANSWERS.decode(line)
