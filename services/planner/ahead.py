"""Looks ahead from the positions of one session: one search at a time, in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from mesh.errors import SessionRefused
from schemas.base import ACTION_LENGTH
from schemas.game import SessionStarted
from schemas.lookahead import ActionRisk, LookedAhead
from search.lookahead.messages import Ahead, LookAhead, Risk
from search.lookahead.process import LookaheadFailed, LookaheadProcess
from services.planner.logic import PositionHistory
from zmachine.story_file import StoryFile

FAILURES = 3
"""Failures of the emulator in a session, after which the planner does not look ahead in it any more."""
MOST_RISKS = 20

log = structlog.get_logger()


@dataclass(slots=True)
class PositionSearch:
    """The searches of one session."""

    started: SessionStarted
    story: Callable[[], Awaitable[StoryFile]]
    probes: int
    """Of one search."""
    failures: int = 0
    _process: LookaheadProcess | None = None
    _running: asyncio.Task[Ahead] | None = None
    _origin: int = 0
    """The step from whose position the running search looks ahead."""
    _spent: int = 0
    """Probes since the last result that was told."""

    async def found(self, route: PositionHistory, seconds: float) -> LookedAhead | None:
        """What is found ahead of the route's position within so many seconds.

        Else what has been found meanwhile ahead of an earlier position, if anything was. None: nothing.
        """
        step = route.last
        assert step is not None
        until = asyncio.get_running_loop().time() + seconds
        late = await self._result(step.step, until)
        if self._running is not None:
            return None
        if not (step.done or self.started.ends_with(step) or self.failures >= FAILURES):
            self._origin = step.step
            self._running = asyncio.create_task(self._look(route), name="looks ahead")
        told = await self._result(step.step, until) or late
        if told is not None:
            self._spent = 0
        return told

    async def close(self) -> None:
        """End the search and its process."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if self._process is not None:
            await self._process.end()

    async def _result(self, step: int, until: float) -> LookedAhead | None:
        """The result of the running search, as it is told with a step; None: there is none, or not yet.

        A result that comes late, and has found nothing, is not told.
        """
        if self._running is None:
            return None
        left = max(0.0, until - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait({self._running}, timeout=left)
        if not done:
            return None
        running, self._running = self._running, None
        try:
            ahead = running.result()
        except (LookaheadFailed, SessionRefused) as error:
            self.failures += 1
            log.warning("lookahead_failed", error=str(error), step=self._origin)
            return None
        self._spent += ahead.spent
        is_news = bool(ahead.points or ahead.risks) or self._origin == step
        return self._told(ahead, step) if ahead.reached and is_news else None

    async def _look(self, route: PositionHistory) -> Ahead:
        step = route.last
        assert step is not None
        if self._process is None:
            self._process = LookaheadProcess(await self.story(), self.started.seed)
        request = LookAhead(
            moves=route.moves(),
            world=step.world,
            actions=step.valid_actions.actions if step.valid_actions else (),
            seed=self.started.seed + step.step,
            probes=self.probes,
        )
        return await self._process.ask(request)

    def _told(self, ahead: Ahead, step: int) -> LookedAhead:
        return LookedAhead(
            step=step,
            origin=self._origin,
            probes=ahead.probes,
            spent=self._spent,
            points=ahead.points,
            actions=ahead.actions,
            risks=tuple(map(_risk, ahead.risks[:MOST_RISKS])),
        )


def _risk(risk: Risk) -> ActionRisk:
    return ActionRisk(action=risk.action[:ACTION_LENGTH], tries=risk.tries, deaths=risk.deaths)
