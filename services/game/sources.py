"""Where the values of a step come from.

Standard library only, for the child imports it; `schemas.game` says the same on the bus.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    """What a value was read from."""

    JERICHO = "jericho"
    MEMORY = "memory"
    STATUS_LINE = "status line"
    TEXT = "text"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Sources:
    """The source of each value of a step."""

    room: Source = Source.UNKNOWN
    inventory: Source = Source.UNKNOWN
    objects: Source = Source.UNKNOWN
    score: Source = Source.UNKNOWN
    max_score: Source = Source.UNKNOWN
    moves: Source = Source.UNKNOWN
    done: Source = Source.UNKNOWN
    victory: Source = Source.UNKNOWN


class TextKind(StrEnum):
    """What an observation is."""

    STORY = "story"
    QUESTION = "question"
    MENU = "menu"
    ENDED = "ended"
    LANTERN = "lantern"


def known(value: object, source: Source) -> Source:
    """The source of a value, where there is a value."""
    return Source.UNKNOWN if value is None else source
