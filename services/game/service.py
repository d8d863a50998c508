"""The game on the bus: starts sessions, executes verdicts, and decides where the critic is absent."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import PurePath

import structlog

from mesh import record
from mesh.bus import Bus, Outcome
from mesh.errors import (
    BusAway,
    FailureError,
    LanternError,
    SessionPlayed,
    SessionTaken,
    SessionUnknown,
)
from mesh.service import Endpoint, Service, Session
from mesh.settings import MeshSettings
from mesh.subjects import Place, checked_session
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.game import (
    EndReason,
    Handicap,
    ResumeSession,
    SessionAnswer,
    SessionEnded,
    SessionStarted,
    StartSession,
    StepTaken,
    StopSession,
)
from schemas.mesh import MessageRecalled, RecallMessage
from schemas.sources import Source
from services.game.absent_critic import AbsentCritic, judged
from services.game.emulator.client import Emulator
from services.game.emulator.pool import Pool
from services.game.emulators import Emulators
from services.game.errors import BudgetUsed
from services.game.metrics import STEP, STEPS
from services.game.playing import Playing
from services.game.settings import GameSettings
from services.game.zmachine import Story

PREPARED = 4
"""Sessions at most that wait, with an emulator each, for their first message."""

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
        self._pool = Pool(self.limits.spares)
        self._playing: dict[str, Playing] = {}
        self._prepared: OrderedDict[str, Playing] = OrderedDict()

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Start the spare emulators, and hear of every session that ends, whoever ends it."""
        await super().joined(bus, settings)
        self._pool.fill()
        self._emulators = Emulators(bus, self.limits, self._pool)
        self._critic = AbsentCritic(bus, self.limits.verdict_deadline)
        await bus.listen(Kind.ENDED, self._on_ended)

    def asked(self) -> Mapping[str, Endpoint]:
        """Sessions are started, resumed and stopped by request."""
        return {
            "start": (StartSession, self.start),
            "resume": (ResumeSession, self.resume),
            "stop": (StopSession, self.stop),
            "recall": (RecallMessage, self.recall),
        }

    def opening(self, started: SessionStarted) -> Playing:
        """No emulator yet."""
        return Playing(started)

    async def forgotten(self, session: Session[Playing]) -> None:
        """Stop the session's emulator."""
        self._playing.pop(session.id, None)
        await session.state.close()

    async def left(self) -> None:
        """Stop the emulators that no session came for, and the spare ones."""
        while self._prepared:
            await self._prepared.popitem()[1].close()
        await self._pool.close()

    async def answer(self, session: Session[Playing], envelope: Envelope) -> Sequence[Message]:
        """Step 0 for a start, the next step for a verdict, a verdict for a proposal that gets none."""
        session.state.session = session.id
        self._playing[session.id] = session.state
        match envelope.body:
            case SessionStarted() as started:
                return await self._begun(session, started)
            case ActionJudged(step=step, action=action):
                judged(session.state, step).set()
                return await self._guarded(session, step, action)
            case ActionProposed() as proposal:
                return await self._critic.unless_judged(session.state, proposal)
            case _:
                return ()

    # -- requests

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
        outcome = await self.bus.publish(wish.session, started)
        return SessionAnswer(ok=True) if outcome is Outcome.STORED else _taken(wish.session)

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
        playing = self._held(wish.session)
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
        place = Place(self.bus.cell, wish.session, wish.kind, wish.step, wish.service, wish.call)
        held = await self.bus.read(place)
        return MessageRecalled(envelope=held.model_dump_json() if held else "")

    # -- steps

    async def _guarded(self, session: Session[Playing], at: int, action: str | None) -> Sequence[Message]:
        """Execute an action after step `at`; a game that cannot go on ends its session, and says why."""
        playing = session.state
        async with playing.lock:
            try:
                return await self._next(session, at, action)
            except BusAway:
                raise
            except FailureError as error:
                log.error("session_failed", error=str(error))
                playing.over = True
                last = max(at, 0)
                return (playing.ended(last, EndReason.FAILED, str(error)),)

    async def _next(self, session: Session[Playing], at: int, action: str | None) -> Sequence[Message]:
        playing = session.state
        if playing.over or await self._is_over(session.id, at):
            return ()
        if action is None:
            story = await self._emulators.story(playing.started.story_md5)
            emulator = playing.emulator or await self._emulators.start(story, playing.started.seed)
            scout = await self._emulators.scout(story, playing.started)
            return (playing.told(await self._counted(playing.opening(emulator, scout))),)
        if await self._is_taken(session, at):
            return ()
        await self._emulators.bring(playing, at)
        step = playing.told(await self._counted(playing.execute(action)))
        playing.judged.pop(at, None)
        if step.step < playing.started.steps:
            return (step,)
        playing.over = True
        return (step, playing.ended(step.step, EndReason.BUDGET))

    async def _counted(self, stepping: Awaitable[StepTaken]) -> StepTaken:
        with self.bus.insight.meter.of(STEP).time():
            step = await stepping
        self.bus.insight.meter.of(STEPS).inc()
        return step

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

    async def published(self, session: Session[Playing], message: Message, stored: bool) -> None:
        """Keep a snapshot of the step, if one is due.

        Where another instance had published the step first, what is held here may differ, so let go.
        """
        if not isinstance(message, StepTaken):
            return
        if stored:
            await self._emulators.keep(session.state)
        else:
            await session.state.close()
            session.state.last = None

    async def _begun(self, session: Session[Playing], started: SessionStarted) -> Sequence[Message]:
        """The opening, unless the session has it: it is resumed, or its start comes twice."""
        ready = self._prepared.pop(session.id, None)
        if ready is not None and ready.started == started:
            self._playing[session.id] = session.state = ready
        if await self._has_step(session.id, started.step):
            return ()
        return await self._guarded(session, -1, None)

    async def _is_taken(self, session: Session[Playing], at: int) -> bool:
        """Whether the step after `at` is there: its verdict comes twice. (The last step must end all.)"""
        last, next_step = session.state.last, at + 1
        if (last is not None and last.step == at) or next_step >= session.started.steps:
            return False
        return await self._has_step(session.id, next_step)

    async def _has_step(self, session: str, step: int) -> bool:
        return await self.bus.read(Place(self.bus.cell, session, Kind.STEP, step)) is not None

    async def _is_over(self, session: str, step: int) -> bool:
        if step < 0 or self._playing[session].last is not None:
            return False
        return await self._has_ended(session)

    async def _has_ended(self, session: str) -> bool:
        return await record.end_of(self.bus, self.bus.cell, session) is not None

    async def _on_ended(self, envelope: Envelope) -> None:
        if (playing := self._held(envelope.session)) is not None:
            playing.over = True

    def _held(self, session: str) -> Playing | None:
        """A session as it is here: about to begin (anew), or under way."""
        return self._prepared.get(session) or self._playing.get(session)

    # -- going on from the record

    async def _resumed(self, session: str, wish: ResumeSession) -> Playing:
        """A session at its last recorded step, with what the wish adds to its budgets."""
        held = self._held(session)
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

    async def _prepare(self, playing: Playing) -> None:
        if (older := self._prepared.pop(playing.session, None)) is not None:
            await older.close()
        self._prepared[playing.session] = playing
        while len(self._prepared) > PREPARED:
            await self._prepared.popitem(last=False)[1].close()


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
