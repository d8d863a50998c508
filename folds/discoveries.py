"""The way to what was found last in an episode, to be gone again after a death."""

from __future__ import annotations

from collections.abc import Sequence

from folds.route import RouteStep, names_held, shortened
from folds.text.rooms import room_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken


class Discoveries:
    """The rooms and things of a session, and how much was done before the last new one was found."""

    def __init__(self) -> None:
        self._found: set[str] = set()
        """In any episode."""
        self._newest = 0
        """The number of stages of this episode after which something new was found; 0: nothing was."""

    def after(self, now: StepTaken, stages: int, *, is_behind: bool) -> None:
        """Fold a step, after so many stages; `is_behind`: the episode has earned less than the best one."""
        found = {room_of(now), *map(head_of, names_held(now))} - self._found
        self._found |= found
        if found and not is_behind and not now.done:
            self._newest = stages

    def way(self, done: Sequence[RouteStep]) -> tuple[RouteStep, ...]:
        """The way to what the episode that is over has found last; what it found is no longer new."""
        newest, self._newest = self._newest, 0
        return shortened(done[:newest])
