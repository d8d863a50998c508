"""The messages between a planner and the process that looks ahead for it: one line of JSON each."""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import Decoder, Encoder


class AheadMessage(Struct, frozen=True, tag=True):
    """A message to or from the process."""


class LoadStory(AheadMessage, frozen=True):
    """The story to look ahead in; the first message. Answered by Ahead, which then says nothing."""

    path: str
    seed: int


class LookAhead(AheadMessage, frozen=True):
    """A position, and how far to look from it. Answered by Ahead."""

    moves: tuple[str, ...]
    """From the opening to the position."""
    world: str
    """The hash of the world there."""
    actions: tuple[str, ...]
    """Actions that are known to be valid there."""
    seed: int
    probes: int
    """Actions that may be executed, once the position is reached."""


class Risk(Struct, frozen=True):
    """How often an action has killed."""

    action: str
    tries: int
    deaths: int


class Ahead(AheadMessage, frozen=True):
    """What looking ahead has found."""

    reached: bool
    """Whether the moves have led to that world; otherwise nothing was tried."""
    probes: int = 0
    spent: int = 0
    """The same, with the moves to the position."""
    points: int = 0
    actions: tuple[str, ...] = ()
    """The shortest way to the most points; empty: there were none."""
    risks: tuple[Risk, ...] = ()


_ENCODER = Encoder()
_REQUESTS: Decoder[LoadStory | LookAhead] = Decoder(LoadStory | LookAhead)
_ANSWERS: Decoder[Ahead] = Decoder(Ahead)


def line_of(message: AheadMessage) -> bytes:
    """One line, its newline included."""
    return _ENCODER.encode(message) + b"\n"


def request_in(line: bytes) -> LoadStory | LookAhead:
    """The request in a line."""
    return _REQUESTS.decode(line)


def answer_in(line: bytes) -> Ahead:
    """The answer in a line."""
    return _ANSWERS.decode(line)
