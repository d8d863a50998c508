"""What a service is: a name, the kinds it reads, a state folded over steps, and an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel

from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken


class Folded(Protocol):
    """A state folded over steps; folding a step again changes nothing."""

    def after(self, step: StepTaken, /) -> Self:
        """The state after one more step."""


S = TypeVar("S")
Endpoint = tuple[type[BaseModel], Callable[[Any], Awaitable[BaseModel]]]


@dataclass(slots=True)
class Session(Generic[S]):
    """What a service instance holds of one session."""

    id: str
    started: SessionStarted
    state: S
    at: int = -1
    """The last step folded into `state`."""


class Service(ABC, Generic[S]):
    """A service of the mesh; the runner does everything that is not its own business.

    Promises of the runner: messages of one session come one after the other, in the record's order;
    `state` has every step up to the message's own folded in; what `answer` returns is published once.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    reads: ClassVar[tuple[type[Message], ...]]
    """Kinds delivered to `answer` (a session's start and end always are)."""
    folds_steps: ClassVar[bool] = True
    gives_fragments: ClassVar[bool] = False
    unordered: ClassVar[tuple[type[Message], ...]] = ()
    """Kinds whose `answer` may take long and must not hold up the session's next message."""

    bus: Bus
    settings: MeshSettings

    @abstractmethod
    def opening(self, started: SessionStarted) -> S:
        """The state before any step."""

    def fold(self, state: S, step: StepTaken) -> S:
        """The state after one more step."""
        raise TypeError(f"{type(self).__name__} folds no steps")

    def skim(self, state: S, step: StepTaken) -> S:
        """The same, where neither this state nor the next is answered from: a service that catches up."""
        return self.fold(state, step)

    @abstractmethod
    async def answer(self, session: Session[S], envelope: Envelope) -> Sequence[Message]:
        """What this service has to say to a message of a session."""

    async def published(self, session: Session[S], message: Message, stored: bool) -> None:
        """A message that `answer` returned is in the record; not `stored`: another's was there first."""

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """The service is about to be ready; open what it needs."""
        self.bus, self.settings = bus, settings

    async def forgotten(self, session: Session[S]) -> None:
        """The runner lets go of a session that ended or that is served no more; release what it holds."""

    async def left(self) -> None:
        """The service has been drained; release everything."""

    def misses(self) -> Mapping[str, int]:
        """Deadlines that other services missed so far, by service, if this one waits for any."""
        return {}

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions it answers: verb -> (type of the question, handler)."""
        return {}
