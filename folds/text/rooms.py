"""Tracks the player's room by the game's text."""

from __future__ import annotations

from zlib import crc32

from folds.text.headings import BY_TEXT, Heading, described_in, headings_in
from folds.text.identities import Entry, RoomIdentities
from folds.text.phrases import PITCH_DARK, is_fruitless
from folds.text.places import beginning_of, place_told_in
from folds.text.ways import ways_in
from folds.vocabulary.actions import OPPOSITE, direction_of, directions_in, normal
from folds.vocabulary.verbs import LOOKING, ActionKind, action_kind_of
from schemas.game import RESTART, Room, StepTaken

UNKNOWN_ROOM = "?"
_DARKNESS = ("darkness", "in the dark")
_DARK_PLACE = "Darkness"
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
"""Kinds of actions that do not walk: after them, a line like a heading is a title, a sign or a list, unless
ways are named below it."""


def room_of(step: StepTaken) -> str:
    """The id of a step's room; `?`: it is unknown."""
    return step.room.id if step.room else UNKNOWN_ROOM


def is_by_text(room: str) -> bool:
    """Whether a room is known only by its heading, so that it may be confused with another."""
    return room.startswith(BY_TEXT)


class RoomTracker:
    """Finds the room of steps without one: the last heading still holds.

    Where no walk has ever printed a heading, the first sentence after a walk tells the place.
    """

    def __init__(self) -> None:
        self._room: Room | None = None
        self._has_headings = False
        """Whether a walk has printed a heading."""
        self._rooms = RoomIdentities()
        self._entered: dict[str, tuple[Room, str]] = {}

    def room(self, step: StepTaken) -> Room | None:
        """The room by the texts so far; None: no text has named one."""
        if not step.done:
            self._room = self._room_in(step) or self._room
        return self._room

    def _room_in(self, step: StepTaken) -> Room | None:
        if step.room is not None and step.room.name.lower() not in _DARKNESS:
            return self._named(step.room.name, step)
        found = self._heading(step)
        self._has_headings |= found is not None and _is_walk(step)
        if found is not None and found.name.lower() not in _DARKNESS:
            return self._known(found.name, found.below.strip() if found.described else "", step)
        if found is not None or PITCH_DARK.search(step.observation):
            return self._in_the_dark(step)
        place = "" if self._has_headings else _place_told_by(step) or self._place_out_of_the_dark(step)
        if not place:
            return None
        if directions_in(step.observation):
            return self._known(place, step.observation, step)
        return self._known(self._rooms.name_of(place, self._entry(step)), "", step)

    def _place_out_of_the_dark(self, step: StepTaken) -> str:
        """The beginning of a text that answers a walk in the dark, and refuses nothing: one can see again."""
        is_lit = self._room is not None and self._room.name == _DARK_PLACE and _is_walk(step)
        return beginning_of(step.observation) if is_lit and not is_fruitless(step.observation) else ""

    def _heading(self, step: StepTaken) -> Heading | None:
        """The last heading with a description in an opening; else the first one that fits the action."""
        if step.action in (None, RESTART):
            return described_in(step.observation)
        headings = headings_in(step.observation)
        return next((found for found in headings if self._fits(found, step.action or "")), None)

    def _fits(self, found: Heading, action: str) -> bool:
        kind, known = action_kind_of(action), found.name in self._rooms
        if kind is ActionKind.MOVE or normal(action) == "look":
            is_last = not found.below.strip()
            if found.plain and found.first and is_last:  # a place without a description: `door to the attic`
                return known or (direction_of(action) is not None and not is_fruitless(found.line))
            return known or found.described or ((found.first or is_last) and not found.plain)
        if known or not found.described or found.plain:
            return known and found.described
        return kind not in _STAYING or (kind not in LOOKING and bool(ways_in(found.below)))

    def _named(self, name: str, step: StepTaken) -> Room:
        """The room that the status line names; its description, if there is one, tells which of this name."""
        headings = headings_in(step.observation)
        below = next((found.below.strip() for found in headings if found.name == name), "")
        return self._known(name, below, step)

    def _known(self, name: str, description: str, step: StepTaken) -> Room:
        here = self._room.id if self._room else UNKNOWN_ROOM
        return Room(id=self._rooms.id_of(name, description, here, self._entry(step)), name=name)

    def _entry(self, step: StepTaken) -> Entry | None:
        here = self._room.id if self._room else UNKNOWN_ROOM
        return Entry(here, normal(step.action or "")) if _is_walk(step) else None

    def _in_the_dark(self, step: StepTaken) -> Room | None:
        """The room in the dark, identified by how it was entered; a light that goes out changes no room."""
        way = direction_of(step.action or "")
        if self._room is None or way is None or is_fruitless(step.observation):
            return self._room
        origin, entry = self._entered.get(self._room.id, (None, ""))
        if origin is not None and OPPOSITE.get(entry) == way and origin.id in self._entered:
            return origin
        number = crc32(f"{self._room.id} {way}".encode())
        place = Room(id=f"{BY_TEXT}{_DARK_PLACE}#{number:08x}", name=_DARK_PLACE)
        self._entered.setdefault(place.id, (self._room, way))
        return place


def _is_walk(step: StepTaken) -> bool:
    return action_kind_of(step.action or "") is ActionKind.MOVE


def _place_told_by(step: StepTaken) -> str:
    """The place that the text of a walk or a look tells of; empty: it tells of none."""
    if not _is_walk(step) and normal(step.action or "") != "look":
        return ""
    return place_told_in(step.observation, surely=direction_of(step.action or "") is None)
