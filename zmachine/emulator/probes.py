"""Learns about an unknown story by trying actions on a saved state, which is then restored exactly.

Everything here depends on that state alone, and takes a bounded number of steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from zmachine.emulator.frotz import Frotz
from zmachine.object_table import Layout, Tree, tree_of
from zmachine.reading.surroundings import player_in, words_in
from zmachine.story_tables import StoryTables
from zmachine.ztext import word

WAITS = 20
"""Turns in which nothing is done, to see who wanders."""
WAYS = ("north", "south", "east", "west", "up", "down", "in", "out", "ne", "nw", "se", "sw")
TAKEN = 6
"""Things that are tried to be taken, at most."""
CERTAIN = 5
"""Votes at which the search for the player stops."""
BY_NAME, BY_WAY, BY_HAND = 2, 1, 3
"""Votes for an object that has a player's name, moves in the typed direction, or receives what is taken."""


class Probe:
    """Tries single actions from the emulator's present state."""

    def __init__(self, frotz: Frotz, layout: Layout) -> None:
        self._frotz = frotz
        self._layout = layout
        self._before = frotz.state()
        self.tree = self.now()

    def now(self) -> Tree:
        """The tree as it is."""
        return tree_of(self._layout, self._frotz.memory(self._layout.start, self._layout.length))

    def after(self, action: str) -> Tree:
        """The tree to which an action leads."""
        self._frotz.step(action)
        tree = self.now()
        self._frotz.restore(self._before)
        return tree

    def waiting(self) -> Iterator[Tree]:
        """The tree after each of some turns in which nothing is done."""
        trees: list[Tree] = []
        for _ in range(WAITS):
            self._frotz.step("wait")
            if self._frotz.halted() or self._frotz.has_quit():
                break
            trees.append(self.now())
        self._frotz.restore(self._before)
        return iter(trees)


@dataclass(frozen=True, slots=True)
class ObjectMove:
    """An object that has another parent than before."""

    number: int
    left: int
    entered: int


def moves_between(before: Tree, after: Tree) -> list[ObjectMove]:
    """The objects that changed their parent, and still have one."""
    pairs = zip(before.parents, after.parents, strict=True)
    return [
        ObjectMove(n, one, other) for n, (one, other) in enumerate(pairs) if one != other and one and other
    ]


def wanderers_in(trees: Iterable[Tree]) -> frozenset[int]:
    """Objects that move from place to place by themselves: in three places or more while nothing was done."""
    places: dict[int, set[int]] = {}
    before: Tree | None = None
    for tree in trees:
        for move in moves_between(before, tree) if before else ():
            places.setdefault(move.number, {move.left}).add(move.entered)
        before = tree
    return frozenset(number for number, been in places.items() if len(been) > 2)


@dataclass(frozen=True, slots=True)
class PlayerObject:
    """The player's object, and the object that holds the rooms (0: none does; None: not known)."""

    number: int
    world: int | None


def room_in_globals(frotz: Frotz, tables: StoryTables) -> int | None:
    """In versions 1 to 3 the first global variable is the room's object (section 8.2.2.1)."""
    if tables.version > 3:
        return None
    number = word(frotz.memory(tables.variables, 2), 0)
    return number if 0 < number <= tables.layout.count else None


def player_by_probing(frotz: Frotz, tables: StoryTables, text: str) -> PlayerObject | None:
    """The object whose parent a direction changes, and which becomes the parent of what is taken.

    `text`: the game's description of the place.
    """
    probe, room = Probe(frotz, tables.layout), room_in_globals(frotz, tables)
    printed = words_in(text)[::-1]
    tree, votes, worlds = probe.tree, Counter[int](), Counter[int]()
    restless = {move.number for move in moves_between(tree, probe.after("wait"))}
    if named := player_in(tables.names, tree, room):
        votes[named] += BY_NAME
    for action in probe_actions(tables, printed):
        for move in moves_between(tree, probe.after(action)):
            if move.number in restless:
                continue
            if action in WAYS:
                votes[move.number] += BY_WAY
                if tree.parents[move.left] == tree.parents[move.entered]:
                    worlds[tree.parents[move.left]] += 1
            else:
                holder = move.left if action.startswith("drop") else move.entered
                votes[holder] += BY_HAND * bool(tree.parents[holder])
        if best_of(votes, tree, room, CERTAIN):
            break
    number = best_of(votes, tree, room, 1)
    return (
        PlayerObject(number, max(worlds, key=lambda world: worlds[world], default=None)) if number else None
    )


def probe_actions(tables: StoryTables, printed: Iterable[str]) -> Iterator[str]:
    """Actions to try, likeliest first: every direction, `drop all`, and `take` for each noun in the text."""
    yield from WAYS
    yield "drop all"
    named = (noun for noun in dict.fromkeys(printed) if tables.dictionary.is_noun(noun))
    known = [noun for noun in named if noun not in WAYS]
    yield from (f"take {noun}" for noun in known[:TAKEN])


def best_of(votes: Counter[int], tree: Tree, room: int | None, least: int) -> int | None:
    """The object with most votes, at least `least`; it must be in `room`, if that is known."""
    fitting = [n for n in votes if votes[n] >= least and (room is None or room in tree.ancestors(n))]
    return max(fitting, key=lambda number: (votes[number], -number), default=None)
