"""Lists of actions that are worth doing again: without what came to nothing, and without detours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from schemas.game import StepTaken


@dataclass(frozen=True, slots=True)
class RouteStep:
    """An action, where it was done and where it led; `walk`: it did nothing but walk, if anything.

    `world` and `becomes`: the states of the world before and after it; empty: unknown.
    """

    action: str
    room: str
    arrives: str
    walk: bool
    world: str = ""
    becomes: str = ""

    @property
    def is_vain(self) -> bool:
        """Whether the action came to nothing."""
        return self.walk and self.room == self.arrives


def route_step(before: StepTaken, now: StepTaken) -> RouteStep:
    """What a step did, seen from the one before it."""
    room, arrives = room_of(before), room_of(now)
    effective = now.reward != 0 or (room == arrives and now.changed)
    return RouteStep(normal(now.action or ""), room, arrives, not effective, before.world, now.world)


def without_detours(stages: Sequence[RouteStep]) -> tuple[RouteStep, ...]:
    """The same stages without what leads back to where it began: walks, and all that ends in one world."""
    route: list[RouteStep] = []
    for stage in stages:
        route.append(stage)
        same = next((n for n, each in enumerate(route) if each.world and each.world == stage.becomes), None)
        if same is not None:
            del route[same:]
            continue
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
