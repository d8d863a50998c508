"""Tracks where the player is and which objects are there, folded over the text printed so far."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from schemas.sources import Source
from zmachine.emulator.frotz import Frotz
from zmachine.emulator.probes import PlayerObject, player_by_probing, room_in_globals
from zmachine.object_table import Tree, tree_of
from zmachine.printed_names import printed_names
from zmachine.reading import texts
from zmachine.reading.sources import known
from zmachine.reading.surroundings import Item, Printed, held, internal_name, room_in, visible, words_in
from zmachine.story_tables import StoryTables

ROOMS = 512
"""Whose printed words are remembered, the latest entered."""
SEARCHES = 8
"""For the player's object, at most, each at another text."""
NOWHERE = 0


@dataclass(frozen=True, slots=True)
class TrackedRoom:
    """A room. `number`: its object; None where only its name is known."""

    id: str
    name: str
    number: int | None


@dataclass(frozen=True, slots=True)
class ObservedScene:
    """Where the player is, what they hold and see. None: unknown."""

    room: TrackedRoom | None
    held: tuple[Item, ...] | None
    seen: tuple[Item, ...] | None
    printed: tuple[str, ...]
    """The words printed in this room so far, in their order."""
    room_source: Source
    things_source: Source


@dataclass(frozen=True, slots=True)
class SceneMemory:
    """What a SceneTracker remembers: plain data, never changed in place."""

    everywhere: frozenset[str] = frozenset()
    """The words printed so far, each by the letters of it that count."""
    in_room: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """For each room, the room entered last at the end: the words printed there."""
    player: PlayerObject | None = None
    searches: int = 0
    """For the player, so far."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Of objects without a name of their own, once they are known."""

    def after(self, room: int, printed: Mapping[str, str]) -> SceneMemory:
        """With words printed in a room."""
        here = self.in_room.get(room, {})
        new = {cut: written for cut, written in printed.items() if cut not in here}
        rooms = {number: words for number, words in self.in_room.items() if number != room}
        if len(rooms) == ROOMS:
            del rooms[next(iter(rooms))]
        rooms[room] = {**here, **new} if new else here
        return replace(self, everywhere=self.everywhere.union(new), in_room=rooms)


class SceneTracker:
    """Reads the scene from the emulator's memory, and remembers which words were printed in which room."""

    def __init__(self, frotz: Frotz, tables: StoryTables, player: int | None, memory: SceneMemory) -> None:
        """`player`: the number of the player's object, where Jericho knows it."""
        self._frotz = frotz
        self._tables = tables
        self._known_player = PlayerObject(player, None) if player else None
        self.memory = memory

    def place(self) -> tuple[int, int]:
        """The player's object and the room's; 0: not known."""
        player, tree = self._known_player or self.memory.player, self._tree()
        return player.number if player else 0, self._room_number(tree, player) or 0

    def _tree(self) -> Tree:
        layout = self._tables.layout
        return tree_of(layout, self._frotz.memory(layout.start, layout.length))

    def _room_number(self, tree: Tree, player: PlayerObject | None) -> int | None:
        number = room_in_globals(self._frotz, self._tables)
        if number or player is None:
            return number
        return room_in(tree.ancestors(player.number), self._tables.names, player.world)

    def scene(self, observation: str, place: str = "") -> ObservedScene:
        """The scene after this observation. `place`: the room's name in the status line."""
        tree, player = self._tree(), self._player(observation)
        number = self._room_number(tree, player)
        if number:
            self._learn_names(number, place or texts.heading_in(observation))
        room, source = self._room(
            number, place, observation, global_room=bool(room_in_globals(self._frotz, self._tables))
        )
        printed = self._remember(number or NOWHERE, observation)
        names = self._names()
        me = player.number if player else None
        return ObservedScene(
            room=room,
            held=held(tree, names, me, self._printed_in(self.memory.everywhere)) if me else None,
            seen=visible(tree, names, number, me, self._printed_in(printed)) if number else None,
            printed=tuple(printed.values()),
            room_source=source,
            things_source=Source.JERICHO if self._known_player else Source.MEMORY,
        )

    def _player(self, observation: str) -> PlayerObject | None:
        """The player's object; if it has not been found yet, it is searched for again."""
        memory = self.memory
        if self._known_player or memory.player:
            return self._known_player or memory.player
        if memory.searches >= SEARCHES or not observation:
            return None
        player = player_by_probing(self._frotz, self._tables, observation)
        self.memory = replace(memory, player=player, searches=memory.searches + 1)
        return player

    def _learn_names(self, room: int, printed: str) -> None:
        """Find the property that holds names, if the present room has no name of its own."""
        if self.memory.names or self._tables.names[room] or not printed:
            return
        memory = self._frotz.story()
        found = printed_names(memory, self._tables.layout, room, printed)
        nameless = {number: name for number, name in found.items() if not self._tables.names[number]}
        self.memory = replace(self.memory, names=nameless)

    def _names(self) -> tuple[str, ...]:
        own = self._tables.shown
        return (
            tuple(self.memory.names.get(n, name) for n, name in enumerate(own)) if self.memory.names else own
        )

    def _room(
        self, number: int | None, place: str, observation: str, *, global_room: bool
    ) -> tuple[TrackedRoom | None, Source]:
        """The room by its object; where that is not known, by its name on the status line or in the text.

        A room that the game never names is called by its name in the source, or by its number.
        """
        if number:
            name = self._names()[number] or place or self._heading()
            name = name or internal_name(self._tables.names[number]) or f"Room {number}"
            source = Source.JERICHO if self._known_player and not global_room else Source.MEMORY
            return TrackedRoom(str(number), name, number), source
        if place:
            return TrackedRoom(f"name:{place}", place, None), Source.STATUS_LINE
        heading = self._heading()
        return (TrackedRoom(f"name:{heading}", heading, None) if heading else None), known(
            heading or None, Source.TEXT
        )

    def _heading(self) -> str:
        """The room's name in the answer to `look`; the game is then restored."""
        before = self._frotz.state()
        heading = texts.heading_in(texts.split_status_line(self._frotz.step("look"))[0])
        self._frotz.restore(before)
        return heading

    def _printed_in(self, printed: Container[str]) -> Printed:
        return lambda name: name[: self._tables.dictionary.length] in printed

    def _remember(self, room: int, observation: str) -> Mapping[str, str]:
        """The words printed in a room, each by the letters of it that count, this observation's included."""
        length = self._tables.dictionary.length
        printed: dict[str, str] = {}
        for found in words_in(observation):
            printed.setdefault(found[:length], found)
        self.memory = self.memory.after(room, printed)
        return self.memory.in_room[room]
