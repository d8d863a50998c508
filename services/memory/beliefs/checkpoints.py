"""Where things were when the game was saved and before the last action: for `restore` and `undo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from folds.vocabulary.actions import normal
from schemas.game import RESTART, StepTaken
from services.memory.beliefs.things import BelievedPlace


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    world: str
    places: Mapping[str, BelievedPlace]


class PlaceCheckpoints:
    """The believed places at the states to which the game can return. The world's hash identifies a state."""

    def __init__(self) -> None:
        self._current: _Checkpoint | None = None
        self._previous: _Checkpoint | None = None
        self._saved: _Checkpoint | None = None

    def after(self, step: StepTaken, places: Mapping[str, BelievedPlace]) -> None:
        """Keep the places that are believed after a step."""
        current = _Checkpoint(step.world, dict(places))
        action = normal(step.action or "")
        if action == "save":
            self._saved = current
        elif action in (RESTART, "undo", "restore"):
            self._previous = None
        else:
            self._previous = self._current
        self._current = current

    def restored_by(self, step: StepTaken) -> Mapping[str, BelievedPlace] | None:
        """The places at the state to which a step returns; None: it returns to none that is known."""
        checkpoint = {"undo": self._previous, "restore": self._saved}.get(normal(step.action or ""))
        if checkpoint is None or not step.world or checkpoint.world != step.world:
            return None
        return checkpoint.places
