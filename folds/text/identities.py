"""Tells rooms of one name apart, and knows a room again when its text has changed."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple
from zlib import crc32

from folds.text.headings import BY_TEXT
from folds.vocabulary.actions import directions_in
from folds.vocabulary.words import content_words

BEGINNING = 50
"""Characters of a description that tell a room from another of its name."""
_TEXTS = 8
"""Descriptions of one room that are remembered."""
_SIDES = frozenset("inside outside within under underneath below beneath above atop behind".split())
_ALIKE = 0.75
"""The share of words that two descriptions of one room have in common, if they name the same directions."""


class Entry(NamedTuple):
    """How a room was entered: from which room, by which way. None: by no walk."""

    origin: str
    way: str


@dataclass(slots=True)
class _KnownRoom:
    id: str
    texts: deque[str] = field(default_factory=partial(deque, maxlen=_TEXTS))

    def shows(self, description: str) -> bool:
        """Whether a description of this room contains the beginning of this one, which may be a brief one,
        and names no other ways."""
        return any(description[:BEGINNING] in text and _agree(description, text) for text in self.texts)

    def is_like(self, text: str) -> bool:
        words, ways = set(content_words(text)), _ways_in(text)
        return any(
            _ways_in(own) == ways and _overlap(set(content_words(own)), words) >= _ALIKE for own in self.texts
        )


class RoomIdentities:
    """The rooms of a session by name, with their descriptions, and where each way has led."""

    def __init__(self) -> None:
        self._rooms: dict[str, list[_KnownRoom]] = defaultdict(list)
        self._newest: dict[str, str] = {}
        self._led: dict[Entry, str] = {}
        self._names: dict[str, str] = {}
        """By the id of a room, its name."""
        self._renamed: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        """Whether a room of this name is known."""
        return name in self._rooms

    def name_of(self, place: str, entry: Entry | None) -> str:
        """The name by which a place is known already: a brief text may tell of it in fewer words.

        It is the place to which this way has led before, or the only one with all these words.
        """
        if place in self._rooms or place in self._renamed:
            return self._renamed.get(place, place)
        name = self._names.get(self._led.get(entry, "") if entry else "")
        words = _stems(place)
        side = _side_of(place)
        longer = [
            each for each in self._rooms if words and words <= _stems(each) and side in ("", _side_of(each))
        ]
        if name is None and len(longer) == 1:
            name = longer[0]
        if name is not None:
            self._renamed[place] = name
        return name or place

    def id_of(self, name: str, description: str, here: str, entry: Entry | None) -> str:
        """The id of the room of this name. `here`: the room of the step before; `entry`: None: no walk."""
        is_described, known = len(description) >= BEGINNING, self._rooms[name]
        room = self._by_text(known, description) if is_described else None
        room = room or self._by_way(known, here, entry)
        if room is None and is_described:
            room = next((each for each in known if each.is_like(description)), None)
        elif room is None:
            room = next((each for each in known if each.id == self._newest[name]), None)
        if room is None:
            room = _KnownRoom(_id(name, description[:BEGINNING] if known else ""))
            known.append(room)
        if is_described and not room.shows(description):
            room.texts.append(description)
        self._newest[name] = room.id
        self._names[room.id] = name
        if entry is not None:
            self._led[entry] = room.id
        return room.id

    @staticmethod
    def _by_text(known: list[_KnownRoom], description: str) -> _KnownRoom | None:
        found = [room for room in known if room.shows(description)]
        return found[0] if len(found) == 1 else None

    def _by_way(self, known: list[_KnownRoom], here: str, entry: Entry | None) -> _KnownRoom | None:
        """The room to which this way has led before; without a walk, the room of the step before."""
        wanted = here if entry is None else self._led.get(entry)
        return next((room for room in known if room.id == wanted), None)


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _stems(name: str) -> frozenset[str]:
    """The words of a name that mean something, without the `s` of a plural."""
    return frozenset(word.removesuffix("s") for word in content_words(name))


def _side_of(name: str) -> str:
    """On which side of a thing a place lies: inside a hut is not outside its door."""
    first = name.partition(" ")[0].lower()
    return first if first in _SIDES else ""


def _agree(one: str, other: str) -> bool:
    """Whether two descriptions name the same ways, if each names any."""
    ways, others = _ways_in(one), _ways_in(other)
    return not ways or not others or ways == others


def _ways_in(description: str) -> tuple[str, ...]:
    return directions_in(description.partition("\n\n")[0])


def _id(name: str, beginning: str) -> str:
    return f"{BY_TEXT}{name}#{crc32(beginning.encode()):08x}" if beginning else BY_TEXT + name
