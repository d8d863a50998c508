"""Where things were when the game was saved, and before the last action, for `restore` and `undo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from folds.vocabulary.actions import normal
from schemas.game import RESTART, StepTaken
from services.memory.beliefs.places import BelievedPlace


@dataclass(frozen=True, slots=True)
class _Moment:
    world: str
    places: Mapping[str, BelievedPlace]


class Returns:
    """The beliefs of the moments that a game can return to. A moment is known by its world's hash."""

    def __init__(self) -> None:
        self._now: _Moment | None = None
        self._before: _Moment | None = None
        self._saved: _Moment | None = None

    def after(self, step: StepTaken, places: Mapping[str, BelievedPlace]) -> None:
        """Note what is believed after a step."""
        now = _Moment(step.world, dict(places))
        action = normal(step.action or "")
        if action == "save":
            self._saved = now
        elif action in (RESTART, "undo", "restore"):
            self._before = None
        else:
            self._before = self._now
        self._now = now

    def places_at(self, step: StepTaken) -> Mapping[str, BelievedPlace] | None:
        """Where things were at the moment that a step has gone back to; None: to none that is known."""
        action = normal(step.action or "")
        moment = {"undo": self._before, "restore": self._saved}.get(action)
        gone_back = moment is not None and step.world and moment.world == step.world
        return moment.places if moment and gone_back else None
