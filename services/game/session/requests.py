"""Requests to the game service: start, resume or stop a session, or read from the record."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import PurePath
from typing import Any

import structlog

from mesh.errors import LanternError, SessionPlayed, SessionTaken, SessionUnknown
from mesh.nats.subjects import checked_session
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from mesh.runner.service import Endpoint, Session
from mesh.waiting import at_most
from schemas.base import Kind
from schemas.game import (
    EndReason,
    Handicap,
    ResumeSession,
    SessionAnswer,
    SessionEnded,
    SessionStarted,
    StartSession,
    StopSession,
)
from schemas.mesh import MessageRecalled, RecallMessage
from schemas.sources import Source
from services.game.emulator.client import Emulator
from services.game.errors import BudgetUsed
from services.game.session.emulators import Emulators
from services.game.session.game_session import GameSession
from zmachine.story_file import StoryFile

PREPARED = 4
"""Most sessions, each with an emulator, that may wait for their first message."""
SETTLED_WITHIN = 5.0
"""Seconds for which a stop waits until the step under way is in the record, or was refused."""

log = structlog.get_logger()


LiveSession = Session[GameSession] | None
"""The session of a request, if this instance plays it."""


class SessionRequests:
    """Answers requests, and keeps each new session until its first message arrives."""

    def __init__(self, bus: Bus, emulators: Emulators) -> None:
        self.bus, self._emulators = bus, emulators
        self._prepared: OrderedDict[str, GameSession] = OrderedDict()

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Each request's verb, type and answer."""
        return {
            "start": (StartSession, self.start),
            "resume": (ResumeSession, self.resume),
            "stop": (StopSession, self.stop),
            "recall": (RecallMessage, self.recall),
        }

    def game_of(self, session_id: str, session: LiveSession) -> GameSession | None:
        """The game that waits to begin, or the one in play; None: it is not in this instance."""
        return self._prepared.get(session_id) or (session.state if session else None)

    async def handed_over(self, session: str, started: SessionStarted) -> GameSession | None:
        """The session that waits for this first message; one that waits for another message is closed."""
        ready = self._prepared.pop(session, None)
        if ready is None or ready.started == started:
            return ready
        await ready.close()
        return None

    async def close(self) -> None:
        """Stop the emulators of sessions that never began."""
        for session in list(self._prepared):
            await self._let_go(session)

    async def start(self, request: StartSession, _: LiveSession) -> SessionAnswer:
        """Start a session, if its id is free and its story loads."""
        try:
            checked_session(request.session)
            if await self.bus.reader.started(request.session):
                return _taken(request.session)
            story = await self._emulators.story(request.story_md5, request.session)
            emulator = await self._emulators.start(story, request.seed)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        started = _started(request, story, emulator)
        async with self._prepared_for(GameSession(started, emulator, session=request.session)):
            if await self.bus.writer.publish(request.session, started) is PublishOutcome.STORED:
                return SessionAnswer(ok=True)
        await self._let_go(request.session)
        return _taken(request.session)

    async def resume(self, request: ResumeSession, session: LiveSession) -> SessionAnswer:
        """Bring a session to its last recorded step, and tell all services to go on from there."""
        try:
            checked_session(request.session)
            game = await self._resumed(request, session)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        async with self._prepared_for(game):
            await self.bus.writer.begin_again(request.session, game.started)
        return SessionAnswer(ok=True)

    async def stop(self, request: StopSession, session: LiveSession) -> SessionAnswer:
        """End a session after the step under way, whichever instance plays it."""
        try:
            checked_session(request.session)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        game = self.game_of(request.session, session)
        async with game.lock if game else nullcontext():
            if game is not None:
                await at_most(SETTLED_WITHIN, game.settled.wait())
            newest = await self.bus.reader.newest(request.session, Kind.STEP)
            if newest is None and request.reason is not EndReason.DELETED:
                return SessionAnswer(
                    ok=False, refusal=f"The session {request.session!r} has no step to end after."
                )
            if game is not None:
                game.over = True
            at = newest.step if newest else 0
            if request.reason is EndReason.DELETED:  # nobody will read its outcome
                ended = SessionEnded(step=at, reason=request.reason)
            else:
                outcome = await self._stopped(request.session, session, at)
                ended = outcome.model_copy(update={"reason": request.reason, "detail": request.detail})
            await self.bus.writer.end(request.session, ended)
        return SessionAnswer(ok=True)

    async def recall(self, request: RecallMessage, _: LiveSession) -> MessageRecalled:
        """What the record holds at a place, for a service that may not read it itself."""
        of = request.session, request.kind, request.step, request.service, request.call
        present = await self.bus.reader.read(self.bus.cell.address(*of))
        return MessageRecalled(envelope=present.model_dump_json() if present else "")

    async def _stopped(self, session_id: str, session: LiveSession, at: int) -> SessionEnded:
        """The end after step `at`; if another instance plays the session, by replaying its record."""
        last = session.state.last if session else None
        if session is not None and last is not None and last.step == at:
            return session.state.end_message(at, EndReason.STOPPED)
        started = await self.bus.reader.started(session_id)
        if started is None:
            return SessionEnded(step=at, reason=EndReason.STOPPED)
        again = GameSession(started.model_copy(update={"valid_actions": False}), session=session_id)
        try:
            await self._emulators.bring_to(again, at)
            return again.end_message(at, EndReason.STOPPED)
        except LanternError as error:
            log.warning("outcome_unknown", error=str(error))
            return SessionEnded(step=at, reason=EndReason.STOPPED)
        finally:
            await again.close()

    async def _resumed(self, request: ResumeSession, live: LiveSession) -> GameSession:
        """A session at its last recorded step, with the request's additions to its budgets."""
        session = request.session
        present = self.game_of(session, live)
        if present is not None and not present.over and not await self._has_ended(session):
            raise SessionPlayed(session)
        started = await self.bus.reader.started(session)
        if started is None:
            raise SessionUnknown(session)
        last = await self.bus.reader.last_step(session)
        at = last.step if last else 0
        steps = started.steps if request.steps is None else at + request.steps
        if steps <= at or (request.steps is None and last is not None and started.ends_with(last)):
            raise BudgetUsed(session, started.steps)
        changes = {"step": at, "steps": steps, "resumed": True, **changed_by(request, started)}
        game = GameSession(started.model_copy(update=changes), session=session)
        if last is not None:
            await self._emulators.bring_to(game, at)
        async with AsyncExitStack() as outdated:
            outdated.push_async_callback(game.close)
            if await self.bus.reader.last_step(session) == last:
                outdated.pop_all()
                return game
        return await self._resumed(request, live)  # a step that waited for room has come meanwhile

    async def _has_ended(self, session: str) -> bool:
        return await self.bus.reader.end_of(session) is not None

    @asynccontextmanager
    async def _prepared_for(self, game: GameSession) -> AsyncIterator[None]:
        """Keep a session for its first message, unless the block that publishes this message fails."""
        await self._let_go(game.session)
        self._prepared[game.session] = game
        while len(self._prepared) > PREPARED:
            await self._let_go(next(iter(self._prepared)))
        async with AsyncExitStack() as on_error:
            on_error.push_async_callback(self._let_go, game.session)
            yield
            on_error.pop_all()

    async def _let_go(self, session: str) -> None:
        if (waiting := self._prepared.pop(session, None)) is not None:
            await waiting.close()


def _taken(session: str) -> SessionAnswer:
    return SessionAnswer(ok=False, refusal=str(SessionTaken(session)))


def _started(request: StartSession, story: StoryFile, emulator: Emulator) -> SessionStarted:
    has_status_line = request.text_only and request.status_line and emulator.has_status_line
    handicaps = _handicaps(request, has_status_line=has_status_line)
    return SessionStarted(
        step=0,
        game=PurePath(request.game).stem,
        story_md5=request.story_md5,
        story_suffix=story.suffix,
        policy=request.policy,
        seed=request.seed,
        policy_seed=request.policy_seed,
        steps=request.steps,
        episodes=request.episodes,
        max_score=None if request.text_only else emulator.max_score,
        max_score_source=Source.UNKNOWN if request.text_only else emulator.max_score_source,
        handicaps=handicaps,
        valid_actions=Handicap.VALID_ACTIONS in handicaps,
        text_only=request.text_only,
        status_line=has_status_line,
        budget=request.budget,
        model=request.model,
        deadlines=request.deadlines,
        without=request.without,
        without_behaviours=request.without_behaviours,
        restore=request.restore,
        goal=request.goal,
        agent=request.agent,
        experience=request.experience,
        searched=request.searched,
    )


def changed_by(request: ResumeSession, started: SessionStarted) -> dict[str, Any]:
    """What a resume changes; all else stays as it was."""
    deadlines = started.deadlines.model_copy(update=request.deadlines.model_dump(exclude_none=True))
    return {
        "episodes": started.episodes if request.steps is None else None,
        "budget": request.budget or started.budget,
        "model": request.model or started.model,
        "deadlines": deadlines,
        "without": started.without if request.without is None else request.without,
    }


def _handicaps(request: StartSession, *, has_status_line: bool) -> tuple[Handicap, ...]:
    restoring = (Handicap.RESTORE,) if request.restore else ()
    experienced = (Handicap.EXPERIENCE,) if request.experience is not None else ()
    looks_ahead = request.lookahead or request.searched is not None
    allowed = (*restoring, *experienced, *((Handicap.LOOKAHEAD,) if looks_ahead else ()))
    if request.text_only:
        return (*((Handicap.STATUS_LINE,) if has_status_line else ()), *allowed)
    looked_for = (Handicap.VALID_ACTIONS,) if request.valid_actions else ()
    return (*looked_for, Handicap.OBJECT_TREE, Handicap.WORLD_HASH, Handicap.SCORE, *allowed)
