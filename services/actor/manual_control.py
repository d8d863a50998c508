"""Sessions that a person plays, from their beginning or for a while: the actor waits for what is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from mesh.errors import LanternError
from mesh.record.bus import Bus
from mesh.replay.replayed_record import ReplayedRecord
from mesh.runner.service import Endpoint
from mesh.waiting import at_most
from schemas.actor import (
    ActionProposed,
    AdviceAnswer,
    AskAdvice,
    ControlsAnswer,
    ControlsTaken,
    TypeAction,
    is_by_hand,
)
from schemas.base import Kind
from schemas.game import HUMAN, SessionStarted


class SessionLeft(Exception):
    """The session has ended while a person was to act."""


Advice = Callable[[], Awaitable[ActionProposed]]

AGAIN = 5.0
"""Seconds after which a session that waits for a person looks again."""
ADVICE_AFTER = 3.0
"""Seconds within which a step that a page shows already reaches the actor, which asks the agent of it."""


class ManualControl:
    """Waits for what a person types, in sessions whose controls a person has as the record says.

    What is typed reaches every instance of the actor, because any of them may get a session's next step.
    """

    asked_everywhere = ("act",)

    def __init__(self) -> None:
        self._taken: dict[str, ControlsTaken | None] = {}
        """By session: the change of hands that counts, as far as it was read or heard."""
        self._read: dict[str, float] = {}
        """By session: when it was read."""
        self._typed: dict[str, TypeAction] = {}
        self._advice: dict[str, Advice] = {}
        """By session that waits for a person: what asks the agent."""
        self._changed: dict[str, asyncio.Event] = {}
        self._over: set[str] = set()
        """Sessions that have ended while their last step waited."""

    def open(self, bus: Bus) -> None:
        """Answer requests from now on."""
        self._bus = bus

    def asked(self) -> Mapping[str, Endpoint]:
        """Each request's verb, type and answer."""
        return {
            "act": (TypeAction, self.act),
            "advise": (AskAdvice, self.advise),
        }

    async def has(self, session: str, started: SessionStarted, step: int) -> bool:
        """Whether a person has the controls at a step; after an outage the record is read again."""
        now, read = asyncio.get_running_loop().time(), self._read.get(session)
        if read is None or now - read > self._bus.cell.events.time_since_outage():
            heard = self._taken.get(session)
            found = await self._bus.reader.controls(session)
            self._read[session] = now
            if self._taken.get(session) is heard:  # else it has changed meanwhile
                self._taken[session] = found
        return is_by_hand(started, self._taken.get(session), step)

    def hear(self, session: str, taken: ControlsTaken) -> None:
        """The controls of a session have changed hands."""
        self._taken[session] = taken
        self._wake(session)

    def waits(self, session: str) -> bool:
        """Whether a person is waited for."""
        return session in self._advice

    async def action(self, session: str, started: SessionStarted, step: int, advice: Advice) -> str | None:
        """What a person types at a step; None: the agent has the controls.

        Raises:
            SessionLeft: the session has ended.
        """
        if not await self.has(session, started, step):
            return None
        if (before := await self._proposed_before(session, started, step)) is not None:
            return before
        self._advice[session] = advice
        self._wake(session)
        try:
            while await self.has(session, started, step):
                typed = self._typed.pop(session, None)
                if session in self._over:
                    raise SessionLeft
                if typed is not None and typed.step == step:
                    return typed.action
                if typed is None:
                    await self._look_again(session)
            return None
        finally:
            del self._advice[session]
            self._over.discard(session)

    def leave(self, session: str) -> None:
        """The session has ended: whoever has its controls loses them."""
        self._taken.pop(session, None)
        self._read.pop(session, None)
        self._typed.pop(session, None)
        if self.waits(session):
            self._over.add(session)
        self._wake(session)

    async def act(self, request: TypeAction, _: object = None) -> ControlsAnswer:
        """Take what a person has typed."""
        try:
            started = await self._bus.reader.under_way(request.session)
            last = await self._bus.reader.last_step(request.session)
        except LanternError as error:
            return ControlsAnswer(ok=False, refusal=str(error))
        if not await self.has(request.session, started, request.step):
            return ControlsAnswer(ok=False, refusal="The agent has the controls. Take them first.")
        if last is None or last.step != request.step or len(request.action.splitlines()) != 1:
            return ControlsAnswer(
                ok=False,
                refusal=f"The session is not at step {request.step} any more. Type the action again.",
                by_hand=True,
            )
        self._typed[request.session] = request
        self._wake(request.session)
        return ControlsAnswer(ok=True, by_hand=True)

    async def advise(self, request: AskAdvice, _: object = None) -> AdviceAnswer:
        """Ask the agent what it would do; nothing of it is played."""
        await at_most(ADVICE_AFTER, self._until_it_waits(request.session))
        advice = self._advice.get(request.session)
        if advice is None:
            return AdviceAnswer(ok=False, refusal="No step waits here for an action by hand.")
        proposed = await advice()
        return AdviceAnswer(ok=True, step=proposed.step, action=proposed.action, reason=proposed.reason)

    async def _proposed_before(self, session: str, started: SessionStarted, step: int) -> str | None:
        """What was proposed before the session was resumed: the game executes that."""
        if not started.resumed or step != started.step:
            return None
        held = await self._bus.reader.read_own(self._bus.cell.address(session, Kind.PROPOSAL, step))
        return held.body.action if held and isinstance(held.body, ActionProposed) else None

    async def _until_it_waits(self, session: str) -> None:
        """Wait for the step at which a person, who has taken the controls, is waited for."""
        while not self.waits(session) and (taken := self._taken.get(session)) is not None and taken.by_hand:
            await self._change(session)

    async def _look_again(self, session: str) -> None:
        """Wait until something has happened; what was not heard in an outage is in the record."""
        await at_most(AGAIN, self._change(session))

    async def _change(self, session: str) -> None:
        await self._changed.setdefault(session, asyncio.Event()).wait()

    def _wake(self, session: str) -> None:
        if (changed := self._changed.pop(session, None)) is not None:
            changed.set()


class RecordedHands(ManualControl):
    """Types again what a person has typed in a recorded session."""

    def __init__(self, record: ReplayedRecord, actor: str) -> None:
        super().__init__()
        self._record, self._actor = record, actor

    async def action(self, session: str, started: SessionStarted, step: int, advice: Advice) -> str | None:
        """What was typed at a step; None: the agent decided."""
        held = self._record.original(Kind.PROPOSAL, step, self._actor)
        if held is None or not isinstance(held.body, ActionProposed) or held.body.policy != HUMAN:
            return None
        return held.body.action
