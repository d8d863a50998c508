"""Who has the controls of a session: its policy or a person."""

from __future__ import annotations

from mesh.errors import LanternError
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from schemas.actor import ControlsAnswer, ControlsTaken, TakeControls, is_by_hand
from schemas.base import Kind

ATTEMPTS = 5
"""To record a change of hands while others record theirs."""


class Controls:
    """Records each change of hands, so that it outlasts every process; the actor reads it."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus

    async def take(self, request: TakeControls, _: object = None) -> ControlsAnswer:
        """Take the controls, hand them back, or tell who has them."""
        try:
            started = await self.bus.reader.under_way(request.session)
            last = await self.bus.reader.last_step(request.session)
        except LanternError as error:
            return ControlsAnswer(ok=False, refusal=str(error))
        step = last.step if last else 0
        if request.by_hand is not None:
            until = None if request.by_hand else request.until
            await self._record(
                request.session, ControlsTaken(step=step, by_hand=request.by_hand, until=until)
            )
        newest = await self.bus.reader.controls(request.session)
        return ControlsAnswer(ok=True, by_hand=is_by_hand(started, newest, step))

    async def _record(self, session: str, taken: ControlsTaken) -> None:
        """Record a change of hands as the newest of its step; one that changes nothing is not recorded."""
        for _ in range(ATTEMPTS):
            counts = await self.bus.reader.controls(session)
            if counts is not None and (counts.by_hand, counts.until) == (taken.by_hand, taken.until):
                return
            newest = await self.bus.reader.newest(session, Kind.CONTROLS)
            before = newest.body.call if newest and isinstance(newest.body, ControlsTaken) else -1
            call = before + 1 if newest is not None and newest.step == taken.step else 0
            numbered = taken.model_copy(update={"call": call})
            if await self.bus.writer.publish(session, numbered) is PublishOutcome.STORED:
                return
