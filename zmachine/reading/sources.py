"""The sources of a step's values: the child's counterpart of `schemas.game.Sources`."""

from __future__ import annotations

from msgspec import Struct

from schemas.sources import Source


class ValueSources(Struct, frozen=True, array_like=True):
    """The source of each value of a step."""

    room: Source = Source.UNKNOWN
    inventory: Source = Source.UNKNOWN
    objects: Source = Source.UNKNOWN
    score: Source = Source.UNKNOWN
    max_score: Source = Source.UNKNOWN
    moves: Source = Source.UNKNOWN
    done: Source = Source.UNKNOWN
    victory: Source = Source.UNKNOWN


def known(value: object, source: Source) -> Source:
    """The source of a value; unknown if there is no value."""
    return Source.UNKNOWN if value is None else source
