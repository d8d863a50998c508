"""What a service is: a name, the kinds it reads, a state folded over steps, and an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, Self, cast

from pydantic import BaseModel
from typing_extensions import TypeVar

from mesh.nats.subjects import Address
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken
from schemas.mesh import ServiceAlive


class Folded(Protocol):
    """A state folded over steps; folding a step again changes nothing."""

    def after(self, step: StepTaken, /) -> Self:
        """The state after one more step."""


S = TypeVar("S")
R = TypeVar("R", default=Any)


@dataclass(slots=True)
class Session(Generic[S, R]):
    """What a service instance has of one session, from its first message here until the runner closes it."""

    id: str
    started: SessionStarted
    state: S
    at: int = -1
    """The last step folded into `state`."""
    resources: R = field(init=False)
    """What `open_session` returned."""
    caught_up: bool = False
    """Whether a message has reached `answer`: until then, `state` may lack recorded steps."""


Endpoint = tuple[type[BaseModel], Callable[[Any, Session[Any] | None], Awaitable[BaseModel]]]
"""The type of a question, and its handler. The handler also gets the session that the question names."""


class Service(ABC, Generic[S, R]):
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
    hears: ClassVar[tuple[type[Message], ...]] = ()
    """Kinds of which `hear` gets every message as it is published: at once, out of order, at most once."""
    asked_everywhere: ClassVar[tuple[str, ...]] = ()
    """Verbs of the questions that every instance gets, not any one; the first answer counts."""

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
    async def answer(self, session: Session[S, R], envelope: Envelope) -> Sequence[Message]:
        """What this service has to say to a message of a session."""

    async def hear(self, session: Session[S, R] | None, envelope: Envelope) -> None:
        """A message of the kinds in `hears`; without a session, if this instance does not serve it."""

    async def mishear(self, session: Session[S, R] | None, address: Address) -> None:
        """An invalid message of the kinds in `hears` has been published at this address."""

    def known_instances(self) -> Sequence[ServiceAlive]:
        """The instances whose heartbeats it hears, if it listens: who asks for the live services is told."""
        return ()

    async def published(self, session: Session[S, R], message: Message, stored: bool) -> None:
        """A message that `answer` returned is in the record; not `stored`: another's was there first."""

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """The service is about to be ready; open what it needs."""
        self.bus, self.settings = bus, settings

    def open_session(self, session: Session[S, R]) -> R:
        """What this service needs for a session beside its state; nothing, unless this is overridden."""
        return cast(R, None)

    async def close_session(self, session: Session[S, R]) -> None:
        """The session has ended, is resumed, or is served here no more: release its resources."""

    async def left(self) -> None:
        """The service has been drained; release everything."""

    def is_held(self, session: str) -> bool:
        """Whether a session's message in hand waits for a person: who leaves does not wait for that."""
        return False

    def misses(self) -> Mapping[str, int]:
        """Deadlines that other services missed so far, by service, if this one waits for any."""
        return {}

    def asked(self) -> Mapping[str, Endpoint]:
        """Questions it answers, by verb. A handler gets no session if this instance does not serve it."""
        return {}
