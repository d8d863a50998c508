"""Where the player is when the game says it in words only."""

from __future__ import annotations

import re
from itertools import pairwise
from zlib import crc32

from schemas.game import RESTART, Room, StepTaken

UNKNOWN_ROOM = "?"
HEADING_LENGTH, DESCRIPTION_LENGTH = 45, 50
_TAIL = re.compile(r"\s*(\(.*\)|, (in|on|at|under|behind) .*)$")
_DECORATION = "<>*=~ "
_SMALL = frozenset("of the in on at a an and to by with from under near for de la".split())
_NOT_HEADINGS = ("release", "serial", "copyright", "version", "inform", "revision")


def room_of(step: StepTaken) -> str:
    """The id of a step's room, `?` where it is unknown."""
    return step.room.id if step.room else UNKNOWN_ROOM


def heading_of(observation: str, *, opening: bool = False) -> str | None:
    """The room's heading: the first line of what a move prints, or the last such line of an opening."""
    lines = observation.strip().splitlines()
    if not opening:
        return _heading(lines[0]) if lines else None
    found = [_heading(line) for line, following in pairwise(lines) if following.strip()]
    return next((heading for heading in reversed(found) if heading), None)


class Whereabouts:
    """Fills in the room of steps that do not tell it: the last heading seen still holds."""

    def __init__(self) -> None:
        self._room: Room | None = None
        self._ids: dict[str, str] = {}

    def placed(self, step: StepTaken) -> StepTaken:
        """The same step, with its room where that can be told."""
        if step.room is not None:
            return step
        opening = step.action in (None, RESTART)
        heading = heading_of(step.observation, opening=opening)
        if heading:
            self._room = Room(id=self._id_of(heading, step.observation), name=heading)
        return step.model_copy(update={"room": self._room}) if self._room else step

    def _id_of(self, heading: str, observation: str) -> str:
        """Rooms of one name are told apart by how their descriptions begin, where one is printed."""
        _, _, below = observation.partition(heading)
        told = below.strip(_DECORATION + "\n")[:DESCRIPTION_LENGTH]
        if len(told) == DESCRIPTION_LENGTH:
            self._ids[heading] = f"name:{heading}#{crc32(told.encode()):08x}"
        return self._ids.get(heading, f"name:{heading}")


def _heading(line: str) -> str | None:
    plain = line.strip()
    bare = plain.strip(_DECORATION)
    heading = _TAIL.sub("", bare)
    words = heading.split()
    if not words or len(heading) > HEADING_LENGTH or heading[-1] in ".!?:;,\"'])>":
        return None
    if heading.lower().startswith(_NOT_HEADINGS) or not heading[0].isalnum():
        return None
    proper = all(word[0].isupper() or not word[0].isalpha() or word in _SMALL for word in words)
    return heading if (proper or bare != plain) and any(c.isalpha() for c in heading) else None
