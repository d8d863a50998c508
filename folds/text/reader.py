"""What the text of a step tells where the step itself does not: room, things, points, effect.

It is less sure than what a game's own state tells, and so never replaces that.
"""

from __future__ import annotations

from folds.text.inventory import TextInventory
from folds.text.phrases import is_fruitless, points_told
from folds.text.rooms import RoomTracker
from folds.text.sightings import Sightings
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, StepTaken

_WITHOUT_EFFECT = (
    ActionKind.MOVE,
    ActionKind.EXAMINE,
    ActionKind.READ,
    ActionKind.SEARCH,
    ActionKind.TALK,
    ActionKind.WAIT,
)
"""Deeds that by themselves change nothing but what the player knows, and where the player is."""


class TextReader:
    """Reads steps as a human does. Give it every step of a session, in order; a repeat changes nothing."""

    def __init__(self) -> None:
        self._whereabouts = RoomTracker()
        self._belongings = TextInventory()
        self._lying = Sightings()
        self._last: StepTaken | None = None
        self._tells_things = False

    def read(self, step: StepTaken) -> StepTaken:
        """The same step, with what is unknown filled in from its text."""
        told = step
        if step.room is None:
            told = told.model_copy(update={"room": self._whereabouts.room(step)})
        self._tells_things |= step.inventory is not None or step.objects is not None
        if not self._tells_things:
            told = told.model_copy(update={"inventory": self._belongings.things(step)})
            told = told.model_copy(update={"objects": self._lying.things(told)})
        if not step.world:
            reward = _reward(step)
            told = told.model_copy(update={"reward": reward, "changed": self._has_changed(told, reward)})
        self._last = told
        return told

    def _has_changed(self, step: StepTaken, reward: int) -> bool:
        before = self._last
        if before is None or reward or step.done or before.episode != step.episode:
            return True
        if step.room != before.room or step.inventory != before.inventory:
            return True
        return action_kind_of(step.action or "") not in _WITHOUT_EFFECT and not is_fruitless(step.observation)


def _reward(step: StepTaken) -> int:
    """The points announced; those of an opening are where an episode begins, and no reward."""
    announced = step.score is None and step.action not in (None, RESTART)
    return step.reward or (points_told(step.observation) if announced else 0)
