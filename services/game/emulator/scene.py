"""Where the player is after each action, and what there is; folded over the text printed so far."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container
from dataclasses import dataclass, field

from services.game.emulator.frotz import Frotz
from services.game.object_table import Tree, tree_of
from services.game.story_tables import StoryTables
from services.game.surroundings import Item, Printed, held, player_in, room_in, visible, words_in
from services.game.valid_actions import Around, mentioned_in, nouns_for
from services.game.ztext import word

ROOMS = 512
"""Whose printed words are remembered, the latest entered."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the player is, what they hold and see. None: unknown."""

    room: Item | None
    held: tuple[Item, ...] | None
    seen: tuple[Item, ...] | None
    printed: tuple[str, ...]
    """The words printed in this room so far, in their order."""


@dataclass(slots=True)
class Recollection:
    """What an onlooker remembers: the words printed anywhere, and in each room."""

    everywhere: set[str] = field(default_factory=set)
    in_room: OrderedDict[int, dict[str, str]] = field(default_factory=OrderedDict)


class Onlooker:
    """Sees the scene in the emulator's memory, and remembers what has been printed where."""

    def __init__(self, frotz: Frotz, tables: StoryTables, player: int | None) -> None:
        self._frotz = frotz
        self._tables = tables
        self._player = player
        self.memory = Recollection()

    def scene(self, observation: str) -> Scene:
        """The scene now that this has been printed."""
        names = self._tables.shown
        tree = tree_of(self._tables.layout, self._area())
        told = self._told_room(tree)
        player = self._player or player_in(self._tables.names, tree, told)
        room = told or (room_in(tree, self._tables.names, player) if player else None)
        printed = self._remember(room or 0, observation)
        return Scene(
            room=Item(room, names[room], None) if room and names[room] else None,
            held=held(tree, names, player, self._printed_in(self.memory.everywhere)) if player else None,
            seen=visible(tree, names, room, player, self._printed_in(printed)) if room else None,
            printed=tuple(printed.values()),
        )

    def _printed_in(self, printed: Container[str]) -> Printed:
        return lambda name: name[: self._tables.dictionary.length] in printed

    def _area(self) -> bytes:
        return self._frotz.memory(self._tables.layout.start, self._tables.layout.length)

    def _told_room(self, tree: Tree) -> int | None:
        """In versions 1 to 3 the first global variable is the room's object (section 8.2.2.1)."""
        if self._tables.version > 3:
            return None
        number = word(self._frotz.memory(self._tables.variables, 2), 0)
        return number if 0 < number < len(tree.parents) else None

    def _remember(self, room: int, observation: str) -> dict[str, str]:
        """The words printed in a room, each by the letters of it that count, this observation's included."""
        length = self._tables.dictionary.length
        printed = self.memory.in_room.setdefault(room, {})
        self.memory.in_room.move_to_end(room)
        if len(self.memory.in_room) > ROOMS:
            self.memory.in_room.popitem(last=False)
        for found in words_in(observation):
            printed.setdefault(found[:length], found)
            self.memory.everywhere.add(found[:length])
        return printed

    def around(self, scene: Scene) -> Around:
        """What the things of a scene are called."""
        tables = self._tables
        carried, seen = scene.held or (), scene.seen or ()
        return Around(
            seen=nouns_for(seen, tables.words, tables.dictionary),
            held=nouns_for(carried, tables.words, tables.dictionary),
            mentioned=mentioned_in(scene.printed, (*seen, *carried), tables),
        )
