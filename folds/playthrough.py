"""One session as it was played: the steps, each read from its text once, the map and the attempts."""

from __future__ import annotations

from typing import Self

from folds.attempts import AttemptLog
from folds.map import Map
from folds.text.conditions import Conditions
from folds.text.reader import TextReader
from folds.text.rooms import UNKNOWN_ROOM, room_of
from schemas.game import StepTaken


class Playthrough:
    """What every service that follows a session needs; a service's state holds one.

    The steps it hands out are complete: what a step itself does not tell is filled in from its text.
    """

    def __init__(self) -> None:
        self.last: StepTaken | None = None
        self.before: StepTaken | None = None
        """The step before the last one; None: there is none."""
        self.map = Map()
        self.attempts = AttemptLog()
        self.conditions = Conditions()
        self._reader = TextReader()

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if self.includes(step):
            return self
        self.before, self.last = self.last, self._reader.read(step)
        self.map.after(self.last)
        self.attempts.after(self.last)
        self.conditions.after(self.last)
        return self

    def includes(self, step: StepTaken) -> bool:
        """Whether a step was folded before."""
        return self.last is not None and step.step <= self.last.step

    @property
    def room(self) -> str:
        """The id of the room where the player is."""
        return room_of(self.last) if self.last else UNKNOWN_ROOM

    @property
    def left(self) -> str | None:
        """The id of the room that the last step left; None: it left none."""
        room = room_of(self.before) if self.before else self.room
        return room if room != self.room else None
