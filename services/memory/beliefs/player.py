"""The room of the player, and when each room was visited last."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.game import StepTaken
from services.memory.beliefs.facts import AT, PLAYER, FactLog, Triple
from services.memory.beliefs.rooms import RoomNames


class PlayerPosition:
    """A fold that writes `at` facts. The player is nowhere while the room is unknown or the game is over."""

    def __init__(self, log: FactLog, rooms: RoomNames) -> None:
        self._log, self._rooms = log, rooms
        self._room: str | None = None
        self._visited: dict[str, int] = {}

    @property
    def room(self) -> str | None:
        """The entity of the room in which the player is; None: unknown, or the game is over."""
        return self._room

    @property
    def since(self) -> int | None:
        """The step at which the player came here."""
        return None if self._room is None else self._log.since((PLAYER.id, AT, self._room))

    @property
    def visited(self) -> Mapping[str, int]:
        """By room, the last step in it; the room that was visited last stands last."""
        return self._visited

    def after(self, step: StepTaken) -> None:
        """Fold one step."""
        room = None
        if step.room is not None and not step.done:
            room = self._rooms.add(step.room.id)
            self._visited.pop(room, None)
            self._visited[room] = step.step
        self._log.replace(_facts(self._room), _facts(room))
        self._room = room

    def end_episode(self) -> None:
        """Forget where the player is."""
        self._room = None


def _facts(room: str | None) -> tuple[Triple, ...]:
    return () if room is None else ((PLAYER.id, AT, room),)
