"""The messages between a search and the processes that it runs in: one line of JSON each."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.json import Decoder, Encoder


class SearchMessage(Struct, frozen=True, tag=True):
    """A message to or from a worker."""


class Order(SearchMessage, frozen=True):
    """What a worker is to search; its first message."""

    story: str
    """The path of the story file."""
    method: str
    emulator_seed: int
    """Of the story's own chance."""
    seed: int
    """Of the search's chance."""
    probes: int
    """Actions that the emulator may execute."""
    options: dict[str, Any] = {}
    """Of the method."""
    known: tuple[tuple[str, ...], ...] = ()
    """Lists of actions that an earlier search has found."""
    number: int = 0
    """Of the worker among those of one search."""
    patience: float = 20.0
    """Seconds of processor time after which an action counts as one that the game never ends."""


class InquiryAnswer(SearchMessage, frozen=True):
    """The answer to an Inquiry."""

    value: Any


class Exchanged(SearchMessage, frozen=True):
    """A list of another worker of the same search: a better one, or one that earns points in a new way."""

    actions: tuple[str, ...]
    score: int


class Improved(SearchMessage, frozen=True):
    """A better list than all before, replayed from the opening."""

    actions: tuple[str, ...]
    score: int
    probes: int

    @property
    def rank(self) -> tuple[int, int]:
        """The greater, the better: a higher score, then fewer actions."""
        return self.score, -len(self.actions)


class Earned(SearchMessage, frozen=True):
    """A list that has earned points in a way that its worker did not know: the others may do so in theirs."""

    actions: tuple[str, ...]
    score: int
    probes: int


class Progress(SearchMessage, frozen=True):
    """How far the search has come."""

    probes: int
    cells: int = 0
    note: str = ""


class Inquiry(SearchMessage, frozen=True):
    """Something that only the parent can tell, such as a model's reply. Answered by InquiryAnswer."""

    question: Any


class Finished(SearchMessage, frozen=True):
    """The search is over; the last message."""

    probes: int
    exhausted: bool = False
    """Whether the method found nothing more to try, before it had spent its probes."""
    complete: bool = False
    """Whether all points of the story are found."""
    endless: str | None = None
    """The action that the game never ended, and with it the worker's search; None: there was none."""


ToWorker = Order | InquiryAnswer | Exchanged
FromWorker = Improved | Earned | Progress | Inquiry | Finished

_ENCODER = Encoder()
_TO_WORKER: Decoder[ToWorker] = Decoder(ToWorker)
_FROM_WORKER: Decoder[FromWorker] = Decoder(FromWorker)


def line_of(message: SearchMessage) -> bytes:
    """One line, its newline included."""
    return _ENCODER.encode(message) + b"\n"


def to_worker(line: bytes) -> ToWorker:
    """The message in a line that a worker has got."""
    return _TO_WORKER.decode(line)


def from_worker(line: bytes) -> FromWorker:
    """The message in a line of a worker."""
    return _FROM_WORKER.decode(line)
