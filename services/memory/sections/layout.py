"""Lists of limited length, and names as the sections show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from schemas.fragment import SECTION_LENGTH, Section
from services.memory.beliefs.beliefs import Beliefs

LIST_LENGTH = 500
_ITEM_LENGTH = 240
_MAX_ROOMS = 16
"""Rooms that the sections speak of, at most: the nearest."""


def nearest_rooms(beliefs: Beliefs) -> tuple[str, ...]:
    """The rooms that can be reached, the nearest first; the room of the player leads."""
    return tuple(route.room for route in islice(beliefs.map.reachable(beliefs.map.here), _MAX_ROOMS))


def exits_of(beliefs: Beliefs, room: str) -> Iterator[str]:
    """The known exits of a room, each with the room that it leads to."""
    for action, end in beliefs.exits.of(room).items():
        yield f"{action} -> {beliefs.rooms.name_of(end.removeprefix('room:'))}"
    for direction, end in beliefs.exits.told(room).items():
        yield f"{direction} -> {beliefs.rooms.name_of(end)} (told, not walked)"


def by_text_mark(by_text: bool) -> str:
    """A mark on what is known from the game's text alone."""
    return " (by text)" if by_text else ""


def line(title: str, items: Iterable[str], length: int = LIST_LENGTH, separator: str = ", ") -> str:
    """A titled list of as many items as fit; it says whether there are more."""
    fitting, more = items_that_fit(map(cut, items), length, separator)
    return f"{title}: {separator.join(fitting) or 'none'}{separator + 'and more' if more else ''}"


def items_that_fit(items: Iterable[str], length: int, separator: str) -> tuple[list[str], bool]:
    """The first items that fit into `length` characters, and whether any is left out."""
    fitting: list[str] = []
    for item in items:
        length -= len(item) + len(separator)
        if length < 0:
            return fitting, True
        fitting.append(item)
    return fitting, False


def cut(text: str, length: int = _ITEM_LENGTH) -> str:
    """A text as one line of limited length."""
    if len(text) <= length and "\n" not in text:
        return text
    short = " ".join(text[: 2 * length].split())
    return short if len(short) <= length else short[: length - 1] + "…"


def section(name: str, lines: Iterable[str]) -> Section:
    """A section of these lines, cut to its maximum length."""
    return Section(name=name, text="\n".join(lines)[:SECTION_LENGTH])
