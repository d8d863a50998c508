"""The game on the bus: executes verdicts, and decides where the critic is absent."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack

import structlog

from mesh.errors import BusAway, BusFull, FailureError
from mesh.record.bus import Bus
from mesh.runner.offers import OfferGate
from mesh.runner.service import Endpoint, Service, Session
from mesh.settings import MeshSettings, from_environment
from schemas.actor import ActionProposed, TakeControls
from schemas.base import Kind, Message
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.game import EndReason, PaceSession, SessionEnded, SessionStarted, StepTaken
from services.game.emulator.pool import ChildPool
from services.game.metrics import STEP, STEPS
from services.game.session.absent_critic import AbsentCritic, verdict_event
from services.game.session.controls import Controls
from services.game.session.emulators import Emulators
from services.game.session.game_session import GameSession
from services.game.session.pacing import Pacing
from services.game.session.requests import SessionRequests
from services.game.settings import GameSettings

log = structlog.get_logger()


class GameService(Service[GameSession]):
    """Executes one action a step in the emulator."""

    name = "game"
    version = "1.0.0"
    reads = (ActionProposed, ActionJudged)
    unordered = (ActionProposed,)
    hears = (SessionEnded,)
    asked_everywhere = ("pace",)
    folds_steps = False

    def __init__(self, settings: GameSettings | None = None) -> None:
        self.limits = settings or from_environment(GameSettings)
        self._pool = ChildPool(self.limits.spares)
        self._leaving = AsyncExitStack()

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Start the spare emulators."""
        await super().joined(bus, settings)
        self._leaving.push_async_callback(self._pool.close)
        self._pool.fill()
        self._emulators = Emulators(bus, self.limits, self._pool)
        self._requests = SessionRequests(bus, self._emulators)
        self._pacing = Pacing(bus)
        self._controls = Controls(bus)
        self._leaving.push_async_callback(self._requests.close)
        self._critic = AbsentCritic(bus, self.limits.verdict_deadline)
        await OfferGate(bus).open()

    def asked(self) -> Mapping[str, Endpoint]:
        """Sessions are started, resumed, stopped, paced and handed over by request."""
        return {
            **self._requests.endpoints(),
            "pace": (PaceSession, self._pacing.pace),
            "controls": (TakeControls, self._controls.take),
        }

    def is_held(self, session: str) -> bool:
        """Whether the session is paused: its verdict is given back if the game leaves."""
        return self._pacing.holds(session)

    def opening(self, started: SessionStarted) -> GameSession:
        """No emulator yet."""
        return GameSession(started)

    async def close_session(self, session: Session[GameSession]) -> None:
        """Stop the session's emulator."""
        await session.state.close()

    async def left(self) -> None:
        """Stop the spare emulators and those of sessions that never began."""
        await self._leaving.aclose()

    async def answer(self, session: Session[GameSession], envelope: Envelope) -> Sequence[Message]:
        """Answer a start with step 0, a verdict with the next step, an unjudged proposal with a verdict."""
        session.state.session = session.id
        match envelope.body:
            case SessionStarted() as started:
                return await self._begun(session, started)
            case ActionJudged(step=step, action=action):
                verdict_event(session.state, step).set()
                await self._pacing.turn(session.state, step)
                return await self._guarded(session, step, action)
            case ActionProposed() as proposal:
                return await self._critic.unless_judged(session.state, proposal)
            case _:
                return ()

    async def _guarded(self, session: Session[GameSession], at: int, action: str | None) -> Sequence[Message]:
        """Execute an action after step `at`; a game that cannot go on ends its session, and says why."""
        game = session.state
        async with game.lock:
            try:
                return await self._next(session, at, action)
            except (BusAway, BusFull):
                raise
            except FailureError as error:
                log.error("session_failed", error=str(error))
                game.over = True
                last = max(at, 0)
                return (game.end_message(last, EndReason.FAILED, str(error)),)

    async def _next(self, session: Session[GameSession], at: int, action: str | None) -> Sequence[Message]:
        game = session.state
        if game.over or await self._is_over(session, at):
            return ()
        if action is None:
            story = await self._emulators.story(game.started.story_md5, session.id)
            game.emulator = game.emulator or await self._emulators.start(story, game.started.seed)
            searcher = await self._emulators.searcher(story, game.started)
            return (await self._to_publish(game, game.opening(game.emulator, searcher)),)
        if await self._is_taken(session, at):
            return ()
        await self._emulators.bring_to(game, at)
        step = await self._to_publish(game, game.execute(action))
        game.verdict_events.pop(at, None)
        if not game.started.ends_with(step):
            return (step,)
        game.over = True
        return (step, game.end_message(step.step, EndReason.BUDGET))

    async def _to_publish(self, game: GameSession, stepping: Awaitable[StepTaken]) -> StepTaken:
        """A step as it is published; until it is recorded the game is not settled."""
        with self.bus.telemetry.meter.of(STEP).time():
            step = await stepping
        self.bus.telemetry.meter.of(STEPS).inc()
        game.settled.clear()
        return game.as_published(step)

    async def hear(self, session: Session[GameSession] | None, envelope: Envelope) -> None:
        """The session has ended, possibly by another instance: execute nothing more."""
        if (game := self._requests.game_of(envelope.session, session)) is not None:
            game.over = True
        self._pacing.forget(envelope.session)

    async def published(self, session: Session[GameSession], message: Message, stored: bool) -> None:
        """Store a snapshot of the step, if one is due.

        If another instance has published the step first, the game here may differ from the record: close it.
        """
        if not isinstance(message, StepTaken):
            return
        session.state.settled.set()
        if stored:
            await self._emulators.store_snapshot(session.state)
        else:
            await session.state.close()
            session.state.last = None

    async def _begun(self, session: Session[GameSession], started: SessionStarted) -> Sequence[Message]:
        """The opening, unless the record has it: the session is resumed, or its start was delivered twice."""
        if (ready := await self._requests.handed_over(session.id, started)) is not None:
            session.state = ready
        if await self._has_step(session.id, started.step):
            return ()
        return await self._guarded(session, -1, None)

    async def _is_taken(self, session: Session[GameSession], at: int) -> bool:
        """Whether the step after `at` is recorded, so that its verdict was delivered twice.

        Never true of the last step: it must still be followed by the session's end."""
        last = session.state.last
        if last is not None and last.step == at:
            return False
        present = await self.bus.reader.read_at(session.id, Kind.STEP, at + 1)
        step = present.body if present else None
        return isinstance(step, StepTaken) and not session.started.ends_with(step)

    async def _has_step(self, session: str, step: int) -> bool:
        return await self.bus.reader.read_at(session, Kind.STEP, step) is not None

    async def _is_over(self, session: Session[GameSession], step: int) -> bool:
        if step < 0 or session.state.last is not None:
            return False
        return await self.bus.reader.end_of(session.id) is not None
