"""Words of actions: directions, conversation, and one form for actions that mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_SHORT: Mapping[str, str] = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
    "u": "up", "d": "down",
}  # fmt: skip
SHIP = ("fore", "aft", "port", "starboard")

DIRECTIONS: tuple[str, ...] = (*_SHORT.values(), "in", "out")
"""The directions an unknown room is searched for, in the order they are tried."""

DIAGONALS = frozenset(("northeast", "northwest", "southeast", "southwest"))
ALL_DIRECTIONS = frozenset((*DIRECTIONS, *SHIP))
ABOUT_ONESELF = ("score", "inventory")
"""Actions whose answers are new each time, change nothing, and tell nothing new of the world."""
CONVERSATION = frozenset({"ask", "tell", "say", "answer", "speak", "talk"})

_RESTORE = re.compile(r"restore(?: +(\d{1,9}))?")

OPPOSITE: Mapping[str, str] = {
    "north": "south", "south": "north", "east": "west", "west": "east", "up": "down", "down": "up",
    "northeast": "southwest", "southwest": "northeast", "northwest": "southeast", "southeast": "northwest",
    "in": "out", "out": "in", "fore": "aft", "aft": "fore", "port": "starboard", "starboard": "port",
}  # fmt: skip
"""The way that probably leads back."""

_VERBS: Mapping[str, str] = {
    "x": "examine", "l": "look", "i": "inventory", "z": "wait", "g": "again", "get": "take",
}  # fmt: skip
_GETTING_ABOUT = frozenset({"in", "into", "on", "onto", "out", "off", "up", "down"})
"""What makes `get` no taking: `get out of the boat`."""
_PASSED = frozenset("door doors gate gates doorway archway arch stairs staircase path".split())
"""What one goes through, and is not in afterwards."""
_MOVING = frozenset({"go", "walk", "run", "head", "enter", "climb"})


@lru_cache(maxsize=8192)
def normal(action: str) -> str:
    """One form for actions that mean the same: `Go  N` is `north`, `get lamp` is `take lamp`."""
    words = action.lower().split()
    if len(words) == 2 and words[0] in _MOVING and _SHORT.get(words[1], words[1]) in ALL_DIRECTIONS:
        words = words[1:]
    if len(words) == 1:
        words = [_SHORT.get(words[0], words[0])]
    if words and not (words[0] == "get" and words[1:2] and words[1] in _GETTING_ABOUT):
        words[0] = _VERBS.get(words[0], words[0])
    return " ".join(word for word in words if word not in {"the", "a", "an"}) or " ".join(words)


def gets_into_something(action: str) -> bool:
    """Whether an action enters what has an inside, by its name: a lift, not a door."""
    words = action.split()
    return len(words) > 1 and words[0] == "enter" and words[-1] not in _PASSED


def direction_of(action: str) -> str | None:
    """The direction that an action walks in, or None."""
    word = normal(action)
    return word if word in ALL_DIRECTIONS else None


def is_conversation(action: str) -> bool:
    """Whether an action speaks to somebody."""
    words = action.lower().split()
    return bool(words) and words[0] in CONVERSATION


@lru_cache(maxsize=2048)
def directions_in(text: str) -> tuple[str, ...]:
    """The directions that a text mentions, in their order; `in` and `out` mean too much to count."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    aboard = SHIP if words & {"aft", "starboard"} else ()  # `port` alone is a harbour or a wine
    return tuple(d for d in (*DIRECTIONS[:10], *aboard) if d in words)


def is_restore(action: str) -> bool:
    """Whether an action asks for an earlier position: `restore`, or `restore N` for that after step N."""
    return _RESTORE.fullmatch(_bare(action)) is not None


def restored_step(action: str) -> int | None:
    """The step that `restore N` names. None: the action names none."""
    found = _RESTORE.fullmatch(_bare(action))
    return int(found[1]) if found and found[1] else None


def goes_back(action: str) -> bool:
    """Whether the game is after an action as it was before: `undo`, or a restore."""
    return _bare(action) == "undo" or is_restore(action)


def _bare(action: str) -> str:
    return action.lower().strip().rstrip(".! ")
