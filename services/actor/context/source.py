"""Where the actor's context comes from: the sub-agents of a live session, or a record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mesh.record.bus import Bus
from mesh.runner.service import Session
from mesh.settings import MeshSettings
from schemas.actor import FragmentUsed
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.mesh import ServiceAlive


@dataclass(frozen=True, slots=True)
class ActorContext:
    """The fragments that the actor uses in one decision, and who should have answered and has not."""

    fragments: Mapping[str, FragmentGiven]
    """By service: the message that holds the text."""
    missing: tuple[str, ...] = ()

    @property
    def used(self) -> tuple[FragmentUsed, ...]:
        """The fragments as the proposal names them."""
        held = sorted(self.fragments.items())
        return tuple(FragmentUsed(service=service, step=given.step) for service, given in held)


class ContextSource(Protocol):
    """Gives the actor its context. The actor decides the same whichever source gives the same context."""

    @abstractmethod
    async def context_for(self, session: Session[Any], step: Envelope) -> ActorContext:
        """The context in which the actor decides about a step."""

    @abstractmethod
    async def verdict_at(self, session: Session[Any], step: int) -> ActionJudged | None:
        """The verdict on the proposal of a step; None: there is none."""

    async def open(self, bus: Bus, settings: MeshSettings) -> None:
        """Open what the source needs, before the first step can come."""
        return

    async def hear(self, session: Session[Any], envelope: Envelope) -> None:
        """A fragment of a live session has been published."""
        return

    async def mishear(self, session: Session[Any], service: str, step: int) -> None:
        """An invalid fragment of a live session has been published."""
        return

    def known_instances(self) -> Sequence[ServiceAlive]:
        """The instances whose heartbeats are heard."""
        return ()
