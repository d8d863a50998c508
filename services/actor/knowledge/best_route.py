"""The way to the best score so far, to be gone again after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from schemas.game import RESTART, StepTaken

FREELY = 3
"""Every third episode without a better score is played without the recipe: it may lead into a dead end."""


@dataclass(frozen=True, slots=True)
class RouteStep:
    """An action that did something, where it was done and where it led."""

    action: str
    room: str
    arrives: str
    walk: bool


class BestRoute:
    """What was done in the episode that earned most, without what came to nothing."""

    def __init__(self) -> None:
        self.stages: tuple[RouteStep, ...] = ()
        self._done: list[RouteStep] = []
        self._gained = self._best = self._vain = 0
        self._at: int | None = None

    def after(self, before: StepTaken, now: StepTaken) -> None:
        """Fold a step, with the one before it."""
        if now.action in (None, RESTART):
            self._begin()
            return
        stage = _stage(before, now)
        self._follow(stage)
        if not stage.walk or stage.room != stage.arrives:
            self._done.append(stage)
        self._gained += now.reward
        if self._gained > self._best:
            self._best, self._vain, self._at = self._gained, 0, None
            self.stages = without_detours(self._done)

    def next(self, room: str) -> str | None:
        """The action that the recipe wants here; None: there is none, or the way was lost."""
        if self._at is None or self._at >= len(self.stages):
            return None
        stage = self.stages[self._at]
        return stage.action if stage.room == room else None

    def _begin(self) -> None:
        self._done, self._gained = [], 0
        self._vain += 1
        self._at = 0 if self.stages and self._vain % FREELY else None

    def _follow(self, done: RouteStep) -> None:
        if self._at is None or self._at >= len(self.stages):
            return
        wanted = self.stages[self._at]
        if (done.action, done.room) == (wanted.action, wanted.room):
            self._at = self._at + 1 if done.arrives == wanted.arrives else None
        elif done.arrives != wanted.room:
            self._at = None


def without_detours(stages: Sequence[RouteStep]) -> tuple[RouteStep, ...]:
    """The same stages without walks that lead back to where they began."""
    route: list[RouteStep] = []
    for stage in stages:
        route.append(stage)
        walked = _walked(route)
        start = next(
            (n for n in range(len(route) - walked, len(route)) if route[n].room == stage.arrives), None
        )
        if stage.walk and start is not None:
            del route[start:]
    return tuple(route)


def _walked(stages: Sequence[RouteStep]) -> int:
    """How many of the last stages are nothing but walking."""
    return next((n for n, stage in enumerate(reversed(stages)) if not stage.walk), len(stages))


def _stage(before: StepTaken, now: StepTaken) -> RouteStep:
    room, arrives = room_of(before), room_of(now)
    effective = now.reward != 0 or (room == arrives and now.changed)
    return RouteStep(normal(now.action or ""), room, arrives, walk=not effective)
