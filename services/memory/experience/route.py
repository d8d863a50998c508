"""The list of actions that earned most in one episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from folds.text.rooms import room_of
from folds.vocabulary.actions import goes_back, normal
from schemas.game import RESTART, StepTaken


@dataclass(frozen=True, slots=True)
class RouteMove:
    """An action, where it was done and where it led; `walk`: it did nothing but walk."""

    action: str
    room: str
    arrives: str
    walk: bool


class RouteRecorder:
    """Follows each episode, and keeps the moves of the one that earned most, up to its last gain."""

    def __init__(self) -> None:
        self.points = 0
        self.best: tuple[RouteMove, ...] = ()
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
        if (move := _move(before, now)) is not None:
            self._done.append(move)
        self._gained += now.reward
        if self._gained > self.points:
            self.points, self.best = self._gained, without_detours(self._done)

    def _begin(self) -> None:
        self._done: list[RouteMove] = []
        self._gained, self._is_lost = 0, False


def without_detours(moves: Sequence[RouteMove]) -> tuple[RouteMove, ...]:
    """The same moves without walks that lead back to where they began."""
    route: list[RouteMove] = []
    for move in moves:
        route.append(move)
        walked = next((n for n, each in enumerate(reversed(route)) if not each.walk), len(route))
        circle = (n for n in range(len(route) - walked, len(route)) if route[n].room == move.arrives)
        if move.walk and (start := next(circle, None)) is not None:
            del route[start:]
    return tuple(route)


def _move(before: StepTaken, now: StepTaken) -> RouteMove | None:
    """None: the action did nothing."""
    action, room, arrives = normal(now.action or ""), room_of(before), room_of(now)
    effective = now.reward != 0 or (room == arrives and now.changed)
    return RouteMove(action, room, arrives, walk=not effective) if effective or room != arrives else None
