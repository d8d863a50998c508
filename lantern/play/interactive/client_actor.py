"""The actor of a session that a client plays: it waits for the client's action."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mesh.runner.service import Session
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionEnded, SessionStarted, StepTaken
from services.actor.context.assembly import FragmentAssembler
from services.actor.decision import DecisionInput
from services.actor.knowledge.situation import Situation
from services.actor.logic import Thought, signs
from services.actor.policy import Choice
from services.actor.service import ActorService
from services.critic.state import CriticState

Playing = Session[Situation, FragmentAssembler]


@dataclass(frozen=True, slots=True)
class ClientTurn:
    """A step that waits for the client's action, with what the services say about it."""

    number: int
    fragments: Mapping[str, Fragment]
    notices: tuple[str, ...] = ()
    """Signs of being stuck, the most pressing first."""


class ActorLeft(Exception):
    """The session has ended while the client was to act."""


class ClientActor(ActorService):
    """Proposes what a client of this process wants. One instance serves one session."""

    def __init__(self) -> None:
        super().__init__()
        self.turn: ClientTurn | None = None
        """What the client may act upon; None: a step is under way, or the session has ended."""
        self.changed = asyncio.Event()
        """Set whenever there is a new turn."""
        self.known = CriticState()
        """The session as it was played, up to the last step."""
        self._action: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._asked = -1
        self._ended = False
        self._started: SessionStarted | None = None

    @property
    def started(self) -> SessionStarted | None:
        """The newest start of the session; None: it has not begun."""
        return self._started

    def act(self, action: str) -> None:
        """The client's action for the turn there is."""
        self.turn = None
        self.changed.clear()
        self._action.set_result(action)

    def is_held(self, session: str) -> bool:
        """Whoever leaves does not wait for the client."""
        return self.turn is not None or super().is_held(session)

    async def hear(self, session: Playing | None, envelope: Envelope) -> None:
        """A fragment has been published, or the session has ended."""
        if isinstance(envelope.body, SessionEnded):
            self._leave()
        await super().hear(session, envelope)

    async def answer(self, session: Playing, envelope: Envelope) -> Sequence[Message]:
        """The proposal for a step, when the client has acted."""
        if isinstance(envelope.body, StepTaken):
            await self._follow(session, envelope.step)
            if (proposed := await self._proposed(session, envelope.step)) is not None:
                return (proposed,)
        try:
            return await super().answer(session, envelope)
        except ActorLeft:
            return ()

    async def decide(self, decision: DecisionInput) -> Thought:
        """What the client wants."""
        step = decision.situation.step.step
        if self._ended:
            raise ActorLeft
        notices = signs(decision.situation)
        if step != self._asked:  # else the action has been given, but could not be published
            self._action, self._asked = asyncio.get_running_loop().create_future(), step
            self.turn = ClientTurn(step, decision.fragments, notices)
            self.changed.set()
        return Thought(Choice(await self._action, "the client's choice"), notices)

    async def _follow(self, session: Playing, upto: int) -> None:
        """Fold what has been played; a resumed session from its record."""
        self._started = session.started
        last = self.known.step
        if last is None:
            self.known = CriticState.opening(session.started)
        async for step in self.bus.reader.steps(session.id, last.step + 1 if last else 0, upto):
            self.known.after(step)

    async def _proposed(self, session: Playing, step: int) -> ActionProposed | None:
        """What was proposed before a process died: the game executes that."""
        if not session.started.resumed or step != session.started.step:
            return None
        address = self.bus.cell.address(session.id, Kind.PROPOSAL, step)
        held = await self.bus.reader.read_own(address)
        return held.body if held and isinstance(held.body, ActionProposed) else None

    def _leave(self) -> None:
        self._ended, self.turn = True, None
        if not self._action.done():
            self._action.set_exception(ActorLeft())
            self._action.exception()  # whether or not anybody waits
