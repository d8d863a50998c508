"""Tracks the player's room by the game's text."""

from __future__ import annotations

from zlib import crc32

from folds.text.headings import BY_TEXT, Heading, described_in, headings_in
from folds.text.phrases import PITCH_DARK, is_fruitless
from folds.vocabulary.actions import OPPOSITE, direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, Room, StepTaken

UNKNOWN_ROOM = "?"
DESCRIPTION_LENGTH = 50
_DARKNESS = ("darkness", "in the dark")
_STAYING = (
    ActionKind.EXAMINE,
    ActionKind.READ,
    ActionKind.SEARCH,
    ActionKind.TALK,
    ActionKind.TAKE,
    ActionKind.DROP,
    ActionKind.PLACE,
    ActionKind.WEAR,
    ActionKind.GIVE,
    ActionKind.OPEN,
    ActionKind.WAIT,
)
"""Kinds of actions that do not walk: after them, a line like a heading is a title, a sign or a list."""


def room_of(step: StepTaken) -> str:
    """The id of a step's room; `?`: it is unknown."""
    return step.room.id if step.room else UNKNOWN_ROOM


def is_by_text(room: str) -> bool:
    """Whether a room is known only by its heading, so that it may be confused with another."""
    return room.startswith(BY_TEXT)


class RoomTracker:
    """Finds the room of steps without one: the last heading still holds."""

    def __init__(self) -> None:
        self._room: Room | None = None
        self._newest: dict[str, str] = {}
        self._described: dict[tuple[str, str], str] = {}
        self._entered: dict[str, tuple[Room, str]] = {}

    def room(self, step: StepTaken) -> Room | None:
        """The room by the texts so far; None: no text has named one."""
        if not step.done:
            self._room = self._room_in(step) or self._room
        return self._room

    def _room_in(self, step: StepTaken) -> Room | None:
        found = self._heading(step)
        if found is not None and found.name.lower() not in _DARKNESS:
            return Room(id=self._id_of(found, step), name=found.name)
        if found is not None or PITCH_DARK.search(step.observation):
            return self._in_the_dark(step)
        return None

    def _heading(self, step: StepTaken) -> Heading | None:
        """The last heading with a description in an opening; else the first one that fits the action."""
        if step.action in (None, RESTART):
            return described_in(step.observation)
        headings = headings_in(step.observation)
        return next((found for found in headings if self._fits(found, step.action or "")), None)

    def _fits(self, found: Heading, action: str) -> bool:
        kind = action_kind_of(action)
        if kind is ActionKind.MOVE or normal(action) == "look":
            return found.first or found.described or found.name in self._newest
        return found.described and (kind not in _STAYING or found.name in self._newest)

    def _id_of(self, found: Heading, step: StepTaken) -> str:
        """The id of a room. Rooms of one name differ in the beginning of their descriptions.

        Looking around without walking gives the same room, even if its description has changed.
        """
        beginning = found.below.strip()[:DESCRIPTION_LENGTH] if found.described else ""
        if len(beginning) < DESCRIPTION_LENGTH:
            return self._newest.setdefault(found.name, BY_TEXT + found.name)
        room = self._described.get((found.name, beginning))
        if room is None and self._room and self._room.name == found.name and not _is_walk(step):
            room = self._room.id
        if room is None:
            room = BY_TEXT + found.name
            room += f"#{crc32(beginning.encode()):08x}" if found.name in self._newest else ""
        self._described[(found.name, beginning)] = self._newest[found.name] = room
        return room

    def _in_the_dark(self, step: StepTaken) -> Room | None:
        """The room in the dark, identified by how it was entered; a light that goes out changes no room."""
        way = direction_of(step.action or "")
        if self._room is None or way is None or is_fruitless(step.observation):
            return self._room
        origin, entry = self._entered.get(self._room.id, (None, ""))
        if origin is not None and OPPOSITE.get(entry) == way and origin.id in self._entered:
            return origin
        place = Room(id=f"{BY_TEXT}Darkness#{crc32(f'{self._room.id} {way}'.encode()):08x}", name="Darkness")
        self._entered.setdefault(place.id, (self._room, way))
        return place


def _is_walk(step: StepTaken) -> bool:
    return action_kind_of(step.action or "") is ActionKind.MOVE
