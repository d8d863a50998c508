"""Reads the player's room, inventory and visible objects from the object tree.

Only plausibly visible objects count. Whether a container is closed is unknown, because each story numbers its
attributes in its own way. So an object in a container is listed once the last word of its name has been
printed: in this room for objects in the room, anywhere for objects that the player carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from zmachine.object_table import Tree

PLAYER_NAMES = ("(self object)", "yourself", "self", "me", "myself", "you", "cretin", "adventurer", "player")
"""The names that compilers and authors give the player's object, likeliest first."""
WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")
DEEPEST = 4
"""The deepest level of containers within containers."""


@dataclass(frozen=True, slots=True)
class Item:
    """An object that the player holds or sees."""

    number: int
    name: str
    container: int | None


Printed = Callable[[str], bool]
"""Whether a word has been printed."""


def internal_name(name: str) -> str:
    """The source's name of an object whose name a routine prints: Inform writes `(hut_door)`."""
    return " ".join(name.strip("()").replace("_", " ").split())


def player_in(names: Sequence[str], tree: Tree, room: int | None) -> int | None:
    """The player's object, found by name; it must be in the room, or anywhere if that is not known."""
    for wanted in PLAYER_NAMES:
        for number, name in enumerate(names):
            around = tree.ancestors(number) if name.lower() == wanted else []
            if around and (room is None or room in around):
                return number
    return None


def room_in(around: Sequence[int], names: Sequence[str], world: int | None = None) -> int | None:
    """The room's object: the last one around the player, except the object that contains all rooms.

    `around`: what the player is in, from the nearest on. `world`: that object; 0: there is none; None: it is
    not known. In Infocom's stories it has no name.
    """
    if world and world in around[1:]:
        return around[around.index(world) - 1]
    if len(around) > 1 and not names[around[-1]] and world is None:
        return around[-2]
    return around[-1] if around else None


def held(tree: Tree, names: Sequence[str], player: int, printed: Printed) -> tuple[Item, ...]:
    """What the player carries and wears."""
    return tuple(contents(tree, names, player, None, printed, without=player))


def visible(
    tree: Tree, names: Sequence[str], room: int, player: int | None, printed: Printed
) -> tuple[Item, ...]:
    """The objects in the room that the player does not carry."""
    return tuple(contents(tree, names, room, None, printed, without=player or 0))


def contents(
    tree: Tree,
    names: Sequence[str],
    around: int,
    container: int | None,
    printed: Printed,
    *,
    without: int,
    depth: int = 0,
) -> Iterator[Item]:
    """The named objects inside an object, each followed by its own contents."""
    for number in tree.inside(around):
        if number == without or not names[number]:
            continue
        if container is not None and not printed(last_word(names[number])):
            continue
        yield Item(number, names[number], container)
        if depth < DEEPEST:
            yield from contents(tree, names, number, number, printed, without=without, depth=depth + 1)


def last_word(name: str) -> str:
    """In English, the noun of a name."""
    found = words_in(name)
    return found[-1] if found else ""


def words_in(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return WORD.findall(text.lower())
