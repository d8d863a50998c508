"""The game on the bus: executes verdicts, and decides where the critic is absent."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack

import structlog

from mesh.errors import BusAway, FailureError
from mesh.nats.subjects import Address
from mesh.record import sessions as record
from mesh.record.bus import Bus
from mesh.runner.service import Endpoint, Service, Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.game import EndReason, SessionStarted, StepTaken
from services.game.emulator.pool import Pool
from services.game.metrics import STEP, STEPS
from services.game.session.absent_critic import AbsentCritic, judged
from services.game.session.emulators import Emulators
from services.game.session.playing import Playing
from services.game.session.requests import Requests
from services.game.settings import GameSettings

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
        self._leaving = AsyncExitStack()

    async def joined(self, bus: Bus, settings: MeshSettings) -> None:
        """Start the spare emulators, and hear of every session that ends, whoever ends it."""
        await super().joined(bus, settings)
        self._leaving.push_async_callback(self._pool.close)
        self._pool.fill()
        self._emulators = Emulators(bus, self.limits, self._pool)
        self._requests = Requests(bus, self._emulators, self._playing)
        self._leaving.push_async_callback(self._requests.close)
        self._critic = AbsentCritic(bus, self.limits.verdict_deadline)
        await bus.listen(Kind.ENDED, self._on_ended)

    def asked(self) -> Mapping[str, Endpoint]:
        """Sessions are started, resumed and stopped by request."""
        return self._requests.endpoints()

    def opening(self, started: SessionStarted) -> Playing:
        """No emulator yet."""
        return Playing(started)

    async def forgotten(self, session: Session[Playing]) -> None:
        """Stop the session's emulator."""
        self._playing.pop(session.id, None)
        await session.state.close()

    async def left(self) -> None:
        """Stop the emulators that no session came for, and the spare ones."""
        await self._leaving.aclose()

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
            playing.emulator = playing.emulator or await self._emulators.start(story, playing.started.seed)
            scout = await self._emulators.scout(story, playing.started)
            return (playing.told(await self._counted(playing.opening(playing.emulator, scout))),)
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
        with self.bus.telemetry.meter.of(STEP).time():
            step = await stepping
        self.bus.telemetry.meter.of(STEPS).inc()
        return step

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
        if (ready := await self._requests.handed_over(session.id, started)) is not None:
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
        return await self.bus.read(Address(self.bus.cell, session, Kind.STEP, step)) is not None

    async def _is_over(self, session: str, step: int) -> bool:
        if step < 0 or self._playing[session].last is not None:
            return False
        return await record.end_of(self.bus, self.bus.cell, session) is not None

    async def _on_ended(self, envelope: Envelope) -> None:
        if (playing := self._requests.held(envelope.session)) is not None:
            playing.over = True
