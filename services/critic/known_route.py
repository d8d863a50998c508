"""What led to the best score so far, which is not to be replaced when it is done again."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from schemas.game import RESTART, StepTaken

_Done: TypeAlias = Counter[tuple[str, str]]
"""By room and action, how often it was done."""


class KnownRoute:
    """Where each action was done in the episode that earned most, up to the step that earned last."""

    def __init__(self) -> None:
        self._best: _Done = Counter()
        self._done: _Done = Counter()
        self._gained = self._most = 0

    def after(self, before: StepTaken | None, now: StepTaken) -> None:
        """Fold a step, with the one before it."""
        if before is None or now.action in (None, RESTART):
            self._done, self._gained = Counter(), 0
            return
        self._done[room_of(before), normal(now.action)] += 1
        self._gained += now.reward
        if self._gained > self._most:
            self._most, self._best = self._gained, self._done.copy()

    def leads_on(self, room: str, action: str) -> bool:
        """Whether the way to the best score does it oftener in the room than this episode has so far."""
        return self._done[room, action] < self._best[room, action]
