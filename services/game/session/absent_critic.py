"""Approves proposals in place of a critic that does not answer in time, or that a session does without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import structlog

from mesh.record.bus import Bus
from mesh.waiting import at_most
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import NO_CRITIC, ActionJudged, Decision
from services.game.metrics import UNJUDGED
from services.game.session.game_session import GameSession

LOOK_UP = 0.25
"""Seconds without a verdict after which the record is searched for one."""

log = structlog.get_logger()


class AbsentCritic:
    """Approves a proposal that gets no verdict within `deadline` seconds, or as long as the session says."""

    def __init__(self, bus: Bus, deadline: float) -> None:
        self.bus, self._deadline = bus, deadline

    async def unless_judged(self, game: GameSession, proposal: ActionProposed) -> Sequence[Message]:
        """A verdict on the proposal, if the critic gives none in time or there is none; else nothing."""
        if game.last is not None and game.last.step > proposal.step:
            return ()
        if "critic" in game.started.without:
            return (self._approval(proposal, NO_CRITIC),)
        deadline = game.started.deadlines.verdict or self._deadline
        if await self.bus.cell.within(deadline, partial(self._verdict, game, proposal.step)):
            return ()
        self.bus.telemetry.meter.of(UNJUDGED).inc()
        log.warning("verdict_missing", deadline=deadline)
        return (self._approval(proposal, f"no verdict within {deadline:g} s"),)

    def _approval(self, proposal: ActionProposed, reason: str) -> ActionJudged:
        return ActionJudged(
            step=proposal.step,
            action=proposal.action,
            proposed=proposal.action,
            decision=Decision.APPROVE,
            score=0.0,
            reason=reason,
            by=self.bus.cell.me.name,
        )

    async def _verdict(self, game: GameSession, step: int) -> None:
        """Wait for a verdict; read the record too, as another instance may have received it."""
        may_wait_first = game.last is not None and game.last.step == step
        place = self.bus.cell.address(game.session, Kind.VERDICT, step)
        while may_wait_first or await self.bus.reader.read(place) is None:
            may_wait_first = False
            if await at_most(LOOK_UP, verdict_event(game, step).wait()):
                return


def verdict_event(game: GameSession, step: int) -> asyncio.Event:
    """The event that is set when the verdict on a step's proposal arrives."""
    return game.verdict_events.setdefault(step, asyncio.Event())
