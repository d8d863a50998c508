"""The list of actions that earned most in one episode."""

from __future__ import annotations

from folds.route import RouteStep, route_step, without_detours
from folds.vocabulary.actions import goes_back
from schemas.game import RESTART, StepTaken


class RouteRecorder:
    """Follows each episode, and keeps the steps of the one that earned most, up to its last gain."""

    def __init__(self) -> None:
        self.points = 0
        self.best: tuple[RouteStep, ...] = ()
        self._is_lost = False
        """Whether the episode went back to an earlier position: what follows cannot be done again so."""
        self._begin()

    def after(self, before: StepTaken, now: StepTaken) -> None:
        """Fold a step, with the one before it."""
        if now.action in (None, RESTART) or now.episode != before.episode:
            self._begin()
            return
        self._is_lost = self._is_lost or goes_back(now.action)
        if self._is_lost:
            return
        if not (done := route_step(before, now)).is_vain:
            self._done.append(done)
        self._gained += now.reward
        if self._gained > self.points:
            self.points, self.best = self._gained, without_detours(self._done)

    def _begin(self) -> None:
        self._done: list[RouteStep] = []
        self._gained, self._is_lost = 0, False
