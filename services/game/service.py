"""The game on the bus: starts sessions, executes verdicts, and decides where the critic is absent."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import PurePath

import structlog

from mesh import record, stories
from mesh.bus import Bus, Outcome
from mesh.errors import FailureError, LanternError, SessionTaken
from mesh.service import Endpoint, Service, Session
from mesh.settings import MeshSettings
from mesh.subjects import Place, checked_session
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.game import (
    EndReason,
    Handicap,
    SessionAnswer,
    SessionEnded,
    SessionStarted,
    Source,
    StartSession,
    StepTaken,
    StopSession,
)
from services.game.emulator.client import Emulator
from services.game.playing import Playing
from services.game.settings import GameSettings
from services.game.zmachine import Story, check_story

PREPARED = 4
"""Emulators at most that wait for their session's first message."""

log = structlog.get_logger()


class GameService(Service[Playing]):
    """Executes one action a step in the emulator."""

    name = "game"
    version = "1.0.0"
    reads = (ActionProposed, ActionJudged)
    unordered = (ActionProposed,)
    folds_steps = False

    def __init__(self, settings: GameSettings | None = None) -> None:
        self.limits = settings or GameSettings()
        self._playing: dict[str, Playing] = {}
        self._prepared: OrderedDict[str, Emulator] = OrderedDict()

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Hear of every session that ends, whoever ends it."""
        await super().joined(bus, settings)
        await bus.listen(Kind.ENDED, self._on_ended)

    def asked(self) -> Mapping[str, Endpoint]:
        """Sessions are started and stopped by request."""
        return {"start": (StartSession, self.start), "stop": (StopSession, self.stop)}

    def opening(self, started: SessionStarted) -> Playing:
        """No emulator yet."""
        return Playing(started)

    async def forgotten(self, session: Session[Playing]) -> None:
        """Stop the session's emulator."""
        self._playing.pop(session.id, None)
        await session.state.close()

    async def left(self) -> None:
        """Stop the emulators that no session came for."""
        while self._prepared:
            await self._prepared.popitem()[1].close()

    async def answer(self, session: Session[Playing], envelope: Envelope) -> Sequence[Message]:
        """Step 0 for a start, the next step for a verdict, a verdict for a proposal that gets none."""
        self._playing[session.id] = session.state
        match envelope.body:
            case SessionStarted():
                return await self._guarded(session, -1, None)
            case ActionJudged(step=step, action=action):
                _judged(session.state, step).set()
                return await self._guarded(session, step, action)
            case ActionProposed() as proposal:
                return await self._unless_judged(session.state, proposal)
            case _:
                return ()

    # -- requests

    async def start(self, wish: StartSession) -> SessionAnswer:
        """Start a session, if its id is free and its story loads."""
        try:
            checked_session(wish.session)
            if await record.started(self.bus, wish.session):
                return _taken(wish.session)
            story = await self._story(wish.story_md5)
            emulator = await self._emulator(story, wish)
        except LanternError as error:
            return SessionAnswer(ok=False, refusal=str(error))
        await self._prepare(wish.session, emulator)
        outcome = await self.bus.publish(wish.session, _started(wish, story, emulator))
        return SessionAnswer(ok=True) if outcome is Outcome.STORED else _taken(wish.session)

    async def stop(self, wish: StopSession) -> SessionAnswer:
        """End a session after the step under way, whichever instance plays it."""
        playing = self._playing.get(wish.session)
        async with playing.lock if playing else nullcontext():
            newest = await record.newest(self.bus, self.bus.cell, wish.session, Kind.STEP)
            if newest is None:
                return SessionAnswer(
                    ok=False, refusal=f"The session {wish.session!r} has no step to end after."
                )
            if playing is not None:
                playing.over = True
            await self.bus.publish(wish.session, SessionEnded(step=newest.step, reason=EndReason.STOPPED))
        return SessionAnswer(ok=True)

    # -- steps

    async def _guarded(self, session: Session[Playing], at: int, action: str | None) -> Sequence[Message]:
        """Execute an action after step `at`; a game that cannot go on ends its session, and says why."""
        playing = session.state
        async with playing.lock:
            try:
                return await self._next(session, at, action)
            except FailureError as error:
                log.error("session_failed", error=str(error))
                playing.over = True
                last = max(at, 0)
                return (SessionEnded(step=last, reason=EndReason.FAILED, detail=str(error)),)

    async def _next(self, session: Session[Playing], at: int, action: str | None) -> Sequence[Message]:
        playing = session.state
        if playing.over or await self._is_over(session.id, at):
            return ()
        if action is None:
            emulator = self._prepared.pop(session.id, None) or await self._emulator_of(playing.started)
            return (await playing.opening(emulator),)
        await self._be_at(session, at)
        playing.judged.pop(at, None)
        step = await playing.execute(action)
        if step.step < playing.started.steps:
            return (step,)
        playing.over = True
        return (step, SessionEnded(step=step.step, reason=EndReason.BUDGET))

    async def published(self, session: Session[Playing], message: Message, stored: bool) -> None:
        """A step that another instance had published first: what is held here may differ, so let go."""
        if isinstance(message, StepTaken) and not stored:
            await session.state.close()
            session.state.last = None

    async def _be_at(self, session: Session[Playing], at: int) -> None:
        playing = session.state
        if playing.emulator is not None and playing.last is not None and playing.last.step == at:
            return
        await playing.close()
        steps = [step async for step in record.steps(self.bus, session.id, 0, at)]
        await playing.rebuild(await self._emulator_of(playing.started), steps)
        log.info("session_rebuilt", steps=len(steps))

    async def _is_over(self, session: str, step: int) -> bool:
        if step < 0 or self._playing[session].last is not None:
            return False
        return await self.bus.read(Place(self.bus.cell, session, Kind.ENDED, step)) is not None

    async def _unless_judged(self, playing: Playing, proposal: ActionProposed) -> Sequence[Message]:
        try:
            async with asyncio.timeout(self.limits.verdict_deadline):
                await _judged(playing, proposal.step).wait()
            return ()
        except TimeoutError:
            log.warning("verdict_missing", deadline=self.limits.verdict_deadline)
        return (
            ActionJudged(
                step=proposal.step,
                action=proposal.action,
                proposed=proposal.action,
                decision=Decision.APPROVE,
                score=0.0,
                reason=f"no verdict within {self.limits.verdict_deadline:g} s",
                by=self.name,
            ),
        )

    async def _on_ended(self, envelope: Envelope) -> None:
        if (playing := self._playing.get(envelope.session)) is not None:
            playing.over = True

    # -- emulators

    async def _emulator_of(self, started: SessionStarted) -> Emulator:
        return await self._emulator(await self._story(started.story_md5), started)

    async def _emulator(self, story: Story, wanted: StartSession | SessionStarted) -> Emulator:
        return await Emulator.start(story, wanted.seed, wanted.valid_actions, patience=self.limits.watchdog)

    async def _story(self, md5: str) -> Story:
        return check_story(await stories.get(self.bus, md5), md5)

    async def _prepare(self, session: str, emulator: Emulator) -> None:
        self._prepared[session] = emulator
        while len(self._prepared) > PREPARED:
            await self._prepared.popitem(last=False)[1].close()


def _judged(playing: Playing, step: int) -> asyncio.Event:
    return playing.judged.setdefault(step, asyncio.Event())


def _taken(session: str) -> SessionAnswer:
    return SessionAnswer(ok=False, refusal=str(SessionTaken(session)))


def _started(wish: StartSession, story: Story, emulator: Emulator) -> SessionStarted:
    given = [Handicap.OBJECT_TREE, Handicap.WORLD_HASH, Handicap.SCORE]
    return SessionStarted(
        step=0,
        game=PurePath(wish.game).stem,
        story_md5=wish.story_md5,
        story_suffix=story.suffix,
        policy=wish.policy,
        seed=wish.seed,
        steps=wish.steps,
        max_score=emulator.max_score,
        max_score_source=Source(emulator.max_score_source),
        handicaps=(*((Handicap.VALID_ACTIONS,) if wish.valid_actions else ()), *given),
        valid_actions=wish.valid_actions,
    )
