"""Fills in what a step does not have from its text: room, things, points, effect.

The text is less certain than the game's own state, and so never replaces it.
"""

from __future__ import annotations

import re

from folds.text.phrases import is_fruitless
from folds.text.points import points_announced, score_told
from folds.text.rooms import UNKNOWN_ROOM, RoomTracker, is_by_text
from folds.text.things.inventory import TextInventory
from folds.text.things.sightings import Sightings
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, Room, StepTaken, Thing

_WITHOUT_EFFECT = (
    ActionKind.MOVE,
    ActionKind.EXAMINE,
    ActionKind.READ,
    ActionKind.SEARCH,
    ActionKind.TALK,
    ActionKind.WAIT,
)
"""Kinds of actions that by themselves change only the player's knowledge or room."""
_WRAPPED = re.compile(r"(?<=[^\n]{45}[\w,;'-])\n(?=[a-z])")
"""Where a story has broken a sentence at the end of a line."""
_Things = tuple[Thing, ...] | None


class TextReader:
    """Reads the texts of a session's steps, all and in order; a repeat changes nothing."""

    def __init__(self) -> None:
        self._rooms = RoomTracker()
        self._inventory = TextInventory()
        self._sightings = Sightings()
        self._last: StepTaken | None = None
        self._tells_things = False
        self._score: int | None = None
        """As the game last told it when it was asked."""
        self._first_score: int | None = None

    def read(self, step: StepTaken) -> StepTaken:
        """The step with unknown values filled in from its text, and each sentence of that on one line."""
        text = _WRAPPED.sub(" ", step.observation)
        step = step if text == step.observation else step.model_copy(update={"observation": text})
        room, inventory, objects = step.room, step.inventory, step.objects
        if room is None or (not step.world and is_by_text(room.id)):
            room = self._rooms.room(step)
        self._tells_things |= bool(inventory or objects)
        if not self._tells_things:
            here = self._last.objects if self._last else None
            inventory = self._inventory.things(step, here or ())
            objects = self._sightings.things(step, room.id if room else UNKNOWN_ROOM, inventory)
        reward, changed = step.reward, step.changed
        if not step.world:
            reward = self._reward(step)
            changed = bool(reward) or step.done or self._has_changed(step, room, inventory, objects)
        found = {
            "room": room,
            "inventory": inventory,
            "objects": objects,
            "reward": reward,
            "changed": changed,
        }
        is_complete = all(getattr(step, name) is value for name, value in found.items())
        self._last = step if is_complete else step.model_copy(update=found)
        return self._last

    def _has_changed(self, step: StepTaken, room: Room | None, inventory: _Things, objects: _Things) -> bool:
        before = self._last
        if before is None or before.episode != step.episode:
            return True
        if room != before.room or inventory != before.inventory:
            return True
        if is_fruitless(step.observation):
            return False
        kind = action_kind_of(step.action or "")
        has_found = kind is ActionKind.SEARCH and bool(set(objects or ()) - set(before.objects or ()))
        has_climbed = kind is ActionKind.MOVE and direction_of(step.action or "") is None
        return has_found or has_climbed or kind not in _WITHOUT_EFFECT

    def _reward(self, step: StepTaken) -> int:
        """The points that the text announces, or that have come since the score was known.

        Those of an opening are the starting score, not a reward.
        """
        if step.score is not None or step.reward:
            return step.reward
        if step.action in (None, RESTART):
            self._score = self._first_score
            return 0
        told = score_told(step.observation) if normal(step.action) == "score" else None
        if told is None:
            announced = points_announced(step.observation)
            self._score = self._score + announced if self._score is not None else None
            return announced
        if self._score is None:
            self._score = self._first_score = told
        earned, self._score = told - self._score, told
        return earned
