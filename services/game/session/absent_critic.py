"""Decides in the place of a critic that does not answer in time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import structlog

from mesh.nats.subjects import Address
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from services.game.metrics import UNJUDGED
from services.game.session.playing import Playing

LOOK_UP = 0.25
"""Seconds without a verdict after which the record is looked into."""

log = structlog.get_logger()


class AbsentCritic:
    """Approves a proposal on which no verdict came within `deadline` seconds."""

    def __init__(self, bus: Bus, deadline: float) -> None:
        self.bus, self.deadline = bus, deadline

    async def unless_judged(self, playing: Playing, proposal: ActionProposed) -> Sequence[Message]:
        """A verdict on a proposal, if none comes in time."""
        if playing.last is not None and playing.last.step > proposal.step:
            return ()
        if await self.bus.within(self.deadline, partial(self._verdict, playing, proposal.step)):
            return ()
        self.bus.telemetry.meter.of(UNJUDGED).inc()
        log.warning("verdict_missing", deadline=self.deadline)
        return (
            ActionJudged(
                step=proposal.step,
                action=proposal.action,
                proposed=proposal.action,
                decision=Decision.APPROVE,
                score=0.0,
                reason=f"no verdict within {self.deadline:g} s",
                by=self.bus.me.name,
            ),
        )

    async def _verdict(self, playing: Playing, step: int) -> None:
        """Wait for a verdict. Another instance may have been given it: the record is looked into too."""
        stands_there = playing.last is not None and playing.last.step == step
        place = Address(self.bus.cell, playing.session, Kind.VERDICT, step)
        while stands_there or await self.bus.read(place) is None:
            stands_there = False
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_UP):
                    await judged(playing, step).wait()
                    return


def judged(playing: Playing, step: int) -> asyncio.Event:
    """What is set when the verdict on a step has come."""
    return playing.judged.setdefault(step, asyncio.Event())
