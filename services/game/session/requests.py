"""What is asked of the game service: to start, resume and stop sessions, and to read from the record."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import PurePath

import structlog

from mesh.errors import LanternError, SessionPlayed, SessionTaken, SessionUnknown
from mesh.nats.subjects import Address, checked_session
from mesh.record import sessions as record
from mesh.record.bus import Bus, PublishOutcome
from mesh.runner.service import Endpoint
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
from services.game.session.playing import Playing
from services.game.story.zmachine import Story

PREPARED = 4
"""Sessions at most that wait, with an emulator each, for their first message."""

log = structlog.get_logger()


class Requests:
    """Answers requests, and holds the sessions that are granted until their first message comes."""

    def __init__(self, bus: Bus, emulators: Emulators, playing: Mapping[str, Playing]) -> None:
        """`playing`: the sessions under way."""
        self.bus, self._emulators, self._playing = bus, emulators, playing
        self._prepared: OrderedDict[str, Playing] = OrderedDict()

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Each request's verb, type and answer."""
        return {
            "start": (StartSession, self.start),
            "resume": (ResumeSession, self.resume),
            "stop": (StopSession, self.stop),
            "recall": (RecallMessage, self.recall),
        }

    def held(self, session: str) -> Playing | None:
        """A session as it is here: about to begin (anew), or under way."""
        return self._prepared.get(session) or self._playing.get(session)

    async def handed_over(self, session: str, started: SessionStarted) -> Playing | None:
        """The session that waits for this first message; one that waits for another waits in vain."""
        ready = self._prepared.pop(session, None)
        if ready is None or ready.started == started:
            return ready
        await ready.close()
        return None

    async def close(self) -> None:
        """Stop the emulators that no session came for."""
        for session in list(self._prepared):
            await self._let_go(session)

    async def start(self, wish: StartSession) -> SessionAnswer:
        """Start a session, if its id is free and its story loads."""
        try:
            checked_session(wish.session)
            if await record.started(self.bus, wish.session):
                return _taken(wish.session)
            story = await self._emulators.story(wish.story_md5)
            emulator = await self._emulators.start(story, wish.seed)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        started = _started(wish, story, emulator)
        await self._prepare(Playing(started, emulator, session=wish.session))
        if await self.bus.publish(wish.session, started) is PublishOutcome.STORED:
            return SessionAnswer(ok=True)
        await self._let_go(wish.session)
        return _taken(wish.session)

    async def resume(self, wish: ResumeSession) -> SessionAnswer:
        """Take a session to its last recorded step, and have everybody go on from there."""
        try:
            playing = await self._resumed(checked_session(wish.session), wish)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        await self._prepare(playing)
        await record.begin_again(self.bus, wish.session, playing.started)
        return SessionAnswer(ok=True)

    async def stop(self, wish: StopSession) -> SessionAnswer:
        """End a session after the step under way, whichever instance plays it."""
        try:
            checked_session(wish.session)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        playing = self.held(wish.session)
        async with playing.lock if playing else nullcontext():
            newest = await record.newest(self.bus, self.bus.cell, wish.session, Kind.STEP)
            if newest is None:
                return SessionAnswer(
                    ok=False, refusal=f"The session {wish.session!r} has no step to end after."
                )
            if playing is not None:
                playing.over = True
            await record.end(self.bus, wish.session, await self._stopped(wish.session, newest.step))
        return SessionAnswer(ok=True)

    async def recall(self, wish: RecallMessage) -> MessageRecalled:
        """What the record holds at a place, for a service that may not read it itself."""
        place = Address(self.bus.cell, wish.session, wish.kind, wish.step, wish.service, wish.call)
        held = await self.bus.read(place)
        return MessageRecalled(envelope=held.model_dump_json() if held else "")

    async def _stopped(self, session: str, at: int) -> SessionEnded:
        """The end after step `at`; where another instance plays the session, its record tells the outcome."""
        playing = self._playing.get(session)
        if playing is not None and playing.last is not None and playing.last.step == at:
            return playing.ended(at, EndReason.STOPPED)
        started = await record.started(self.bus, session)
        if started is None:
            return SessionEnded(step=at, reason=EndReason.STOPPED)
        again = Playing(started.model_copy(update={"valid_actions": False}), session=session)
        try:
            await self._emulators.bring(again, at)
            return again.ended(at, EndReason.STOPPED)
        except LanternError as error:
            log.warning("outcome_unknown", error=str(error))
            return SessionEnded(step=at, reason=EndReason.STOPPED)
        finally:
            await again.close()

    async def _resumed(self, session: str, wish: ResumeSession) -> Playing:
        """A session at its last recorded step, with what the wish adds to its budgets."""
        held = self.held(session)
        if held is not None and not held.over and not await self._has_ended(session):
            raise SessionPlayed(session)
        started = await record.started(self.bus, session)
        if started is None:
            raise SessionUnknown(session)
        last = await record.last_step(self.bus, session)
        at = last.step if last else 0
        steps = started.steps if wish.steps is None else at + wish.steps
        if steps <= at:
            raise BudgetUsed(session, started.steps)
        told = {"step": at, "steps": steps, "resumed": True, "budget": wish.budget or started.budget}
        playing = Playing(started.model_copy(update=told), session=session)
        if last is not None:
            await self._emulators.bring(playing, at)
        return playing

    async def _has_ended(self, session: str) -> bool:
        return await record.end_of(self.bus, self.bus.cell, session) is not None

    async def _prepare(self, playing: Playing) -> None:
        await self._let_go(playing.session)
        self._prepared[playing.session] = playing
        while len(self._prepared) > PREPARED:
            await self._let_go(next(iter(self._prepared)))

    async def _let_go(self, session: str) -> None:
        if (waiting := self._prepared.pop(session, None)) is not None:
            await waiting.close()


def _taken(session: str) -> SessionAnswer:
    return SessionAnswer(ok=False, refusal=str(SessionTaken(session)))


def _started(wish: StartSession, story: Story, emulator: Emulator) -> SessionStarted:
    handicaps = _handicaps(wish)
    return SessionStarted(
        step=0,
        game=PurePath(wish.game).stem,
        story_md5=wish.story_md5,
        story_suffix=story.suffix,
        policy=wish.policy,
        seed=wish.seed,
        steps=wish.steps,
        max_score=None if wish.text_only else emulator.max_score,
        max_score_source=Source.UNKNOWN if wish.text_only else emulator.max_score_source,
        handicaps=handicaps,
        valid_actions=Handicap.VALID_ACTIONS in handicaps,
        text_only=wish.text_only,
        budget=wish.budget,
    )


def _handicaps(wish: StartSession) -> tuple[Handicap, ...]:
    if wish.text_only:
        return ()
    looked_for = (Handicap.VALID_ACTIONS,) if wish.valid_actions else ()
    return (*looked_for, Handicap.OBJECT_TREE, Handicap.WORLD_HASH, Handicap.SCORE)
