"""The sessions that a service instance holds: their state, caught up by folding the record."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Generic, TypeVar

import structlog

from mesh.metrics import CAUGHT_UP, SESSIONS
from mesh.nats.subjects import address_of
from mesh.record.bus import Bus
from mesh.runner.dead_letters import dead_lettered_steps
from mesh.runner.service import Service, Session
from mesh.runner.states.state_cache import StateCache
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken

HELD_SESSIONS = 256
"""Sessions whose state an instance keeps; the least used is let go (and folded anew if it comes back)."""

S = TypeVar("S")
log = structlog.get_logger()


class SessionStates(Generic[S]):
    """State of many sessions, each with every step up to the message in hand folded in."""

    def __init__(self, service: Service[S], bus: Bus, cache: StateCache[S]) -> None:
        self.service, self.bus, self._cache = service, bus, cache
        self._held: OrderedDict[str, Session[S]] = OrderedDict()
        self._poison: set[tuple[str, int]] = set()
        self._beginning = asyncio.Lock()
        self._number = bus.telemetry.meter.of(SESSIONS)
        self._caught_up = bus.telemetry.meter.of(CAUGHT_UP)

    def find(self, session_id: str) -> Session[S] | None:
        """A session whose state is caught up; None: it is not served here."""
        session = self._held.get(session_id)
        return session if session is not None and session.caught_up else None

    async def at(self, envelope: Envelope) -> Session[S] | None:
        """The session as it is at a message; None: it was never started, or does without this service."""
        async with self._beginning:
            await self._let_go_if_outdated(envelope)
            session = self._held.get(envelope.session) or await self._begin(envelope)
        if session is None:
            return None
        self._held.move_to_end(session.id)
        if self.service.folds_steps:
            await self._fold_up_to(session, envelope)
        session.caught_up = True
        return session

    async def store(self, session: Session[S], *, ended: bool) -> None:
        """Store a session's state, if that is due and no step is missing in it."""
        if not self._lacks_steps(session.id):
            await self._cache.store(session, ended=ended)

    async def forget(self, session_id: str) -> None:
        """Let go of a session; should it come back, it is folded anew."""
        self._cache.forget(session_id)
        if (session := self._held.pop(session_id, None)) is not None:
            self._number.dec()
            await self.service.close_session(session)

    async def forget_all(self) -> None:
        """Let go of every session."""
        for session_id in list(self._held):
            await self.forget(session_id)
        self._poison.clear()

    def skip(self, subject: str) -> None:
        """A step that this service gave up on must not keep it from folding the next ones."""
        place = address_of(subject)
        if place is not None and place.kind is Kind.STEP:
            self._poison.add((place.session, place.step))

    def accept(self, subject: str) -> None:
        """The step is worth another try."""
        if (place := address_of(subject)) is not None:
            self._poison.discard((place.session, place.step))

    async def _let_go_if_outdated(self, envelope: Envelope) -> None:
        """Fold a session anew: one that is resumed; one of which a step is redelivered after later ones."""
        held, message = self._held.get(envelope.session), envelope.body
        if held is None:
            return
        is_resumed = isinstance(message, SessionStarted) and held.started != message
        is_past = isinstance(message, StepTaken) and held.at > message.step
        if is_resumed or (is_past and self.service.gives_fragments):
            await self.forget(envelope.session)

    async def _begin(self, envelope: Envelope) -> Session[S] | None:
        if isinstance(envelope.body, SessionStarted):
            started: SessionStarted | None = envelope.body
        else:
            started = await self.bus.reader.started(envelope.session)
        if started is None:
            log.warning("session_unknown", session=envelope.session)
            return None
        if self.service.name in started.without:
            return None
        if envelope.body is not started:
            async for subject in dead_lettered_steps(self.bus.reader, envelope.session):
                self.skip(subject)
        session = await self._restored(envelope, started)
        session.resources = self.service.open_session(session)
        self._held[envelope.session] = session
        self._number.inc()
        while len(self._held) > HELD_SESSIONS:
            await self.forget(next(iter(self._held)))
        return session

    async def _restored(self, envelope: Envelope, started: SessionStarted) -> Session[S]:
        """The session with its stored state, or as it was at its opening."""
        cached = None
        if not self._lacks_steps(envelope.session):
            cached = await self._cache.load(envelope.session, started, envelope.step)
        if cached is None:
            return Session(envelope.session, started, self.service.opening(started))
        return Session(envelope.session, started, cached.state, cached.at)

    def _lacks_steps(self, session_id: str) -> bool:
        return any(session == session_id for session, _ in self._poison)

    async def _fold_up_to(self, session: Session[S], envelope: Envelope) -> None:
        step, wanted = envelope.body, envelope.step - (envelope.kind is Kind.STARTED)
        if isinstance(step, StepTaken) and session.at == step.step - 1:
            self._fold(session, step)
        elif session.at < wanted:
            async for missed in self.bus.reader.steps(session.id, session.at + 1, wanted):
                self._fold(session, missed, skimmed=missed.step < wanted - 1)
                self._caught_up.inc()

    def _fold(self, session: Session[S], step: StepTaken, *, skimmed: bool = False) -> None:
        if (session.id, step.step) not in self._poison:
            fold = self.service.skim if skimmed else self.service.fold
            session.state = fold(session.state, step)
        session.at = step.step
