"""How fast sessions are played: at a pace, or held after a step until someone lets them go on."""

from __future__ import annotations

import asyncio

from mesh.errors import LanternError
from mesh.record.bus import Bus
from mesh.waiting import at_most
from schemas.game import PaceAnswer, PaceSession, SessionPace
from services.game.session.game_session import GameSession

FULL_SPEED = SessionPace()


class Pacing:
    """The paces that were asked for, and the waits that they cause. Nothing of it is recorded.

    Every instance of the game keeps the paces of all sessions, so that a pause outlasts the instance that
    plays the session. A verdict that is held back has no deadline: it is given already.
    """

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._paces: dict[str, SessionPace] = {}
        self._changed: dict[str, asyncio.Event] = {}

    async def pace(self, request: PaceSession, _: object = None) -> PaceAnswer:
        """Set or tell the pace of a session that has not ended."""
        try:
            await self.bus.reader.under_way(session := request.session)
        except LanternError as error:
            return PaceAnswer(ok=False, refusal=str(error))
        if request.pace is not None:
            self._paces[session] = request.pace
            self.wake(session)
        return PaceAnswer(ok=True, pace=self._paces.get(session, FULL_SPEED))

    async def turn(self, game: GameSession, step: int) -> None:
        """Wait until the action after `step` may be executed, or the session has ended."""
        time = asyncio.get_running_loop().time
        while not game.over:
            pace = self._paces.get(game.session, FULL_SPEED)
            held = pace.hold_after is not None and step >= pace.hold_after
            remaining = game.last_turn + pace.delay - time()
            if not held and remaining <= 0:
                break
            changed = self._changed.setdefault(game.session, asyncio.Event())
            await at_most(None if held else remaining, changed.wait())
        game.last_turn = time()

    def holds(self, session: str) -> bool:
        """Whether a session waits here until somebody lets it go on."""
        return session in self._changed and self._paces.get(session, FULL_SPEED).hold_after is not None

    def forget(self, session: str) -> None:
        """The session has ended."""
        self._paces.pop(session, None)
        self.wake(session)

    def wake(self, session: str) -> None:
        """Have the session's wait look again."""
        if (changed := self._changed.pop(session, None)) is not None:
            changed.set()
