"""Rooms placed on a grid by the compass, as they are on a map drawn by hand.

Columns grow to the east, rows to the south. A room goes where the ways to it point; where such a cell is
taken, or a line would run through another room, to the cell where that harms least.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot

Cell = tuple[int, int]

COMPASS: Mapping[str, Cell] = {
    "north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0),
    "northeast": (1, -1), "northwest": (-1, -1), "southeast": (1, 1), "southwest": (-1, 1),
}  # fmt: skip
_SLANTED: Mapping[str, Cell] = {
    "up": (1, -1), "down": (-1, 1), "in": (1, 1), "out": (-1, -1),
    "fore": (0, -1), "aft": (0, 1), "port": (-1, 0), "starboard": (1, 0),
}  # fmt: skip
"""Where ways go that have no place on paper; a ship's bow is at the top."""
_REACH = 4
"""Cells around a room among which its neighbour's place is sought; twice as many where all are taken."""
_ASTRAY, _FAR, _THROUGH, _ACROSS = 5.0, 1.0, 3.0, 3.0
"""What is paid for a line that points elsewhere, for each cell of its length, for each room that it runs
through, and for a room put on another's line."""
_WEIGHTS = (1.0, 0.6, 0.3)
"""How much it matters where a line points: of the compass, of other directions, of other deeds."""
_NEIGHBOURS = 6
"""Of a room that count when its place is chosen, at most."""
_GAP = 2


@dataclass(frozen=True, slots=True)
class Way:
    """A known way from a room to another, by a direction or another deed."""

    start: str
    end: str
    by: str


def placed(rooms: Sequence[str], ways: Iterable[Way]) -> dict[str, Cell]:
    """Each room's cell, no two alike; the parts of a map that no way joins stand side by side."""
    beside = _neighbours(ways)
    cells: dict[str, Cell] = {}
    for first in rooms:
        if first not in cells:
            part = _part(first, beside, {room for room in rooms if room not in cells})
            cells |= _moved_beside(part, cells)
    return cells


Beside = Mapping[str, Mapping[str, tuple[Cell, float]]]
"""For each room those beside it, which way, and how much that matters."""


def _neighbours(ways: Iterable[Way]) -> Beside:
    """For each room those beside it, and which way: the sum of all ways between them, there and back.

    A house that is walked around by turns comes out right. The compass counts before all other ways.
    """
    found: dict[str, dict[str, dict[int, Cell]]] = defaultdict(lambda: defaultdict(dict))
    for way in ways:
        rank, (x, y) = _pointing(way.by)
        for start, end, sign in ((way.start, way.end, 1), (way.end, way.start, -1)):
            dx, dy = found[start][end].get(rank, (0, 0))
            found[start][end][rank] = (dx + sign * x, dy + sign * y)
    beside: dict[str, dict[str, tuple[Cell, float]]] = {}
    for start, ends in found.items():
        ranked = sorted(ends.items(), key=lambda item: min(item[1]))
        beside[start] = {end: _strongest(by_rank) for end, by_rank in ranked}
    return beside


def _strongest(by_rank: Mapping[int, Cell]) -> tuple[Cell, float]:
    """Of the best kind of way; ways that gainsay each other point anywhere."""
    rank = min(by_rank)
    x, y = by_rank[rank]
    return ((x, y), _WEIGHTS[rank]) if (x, y) != (0, 0) else ((1, 1), _WEIGHTS[-1])


def _pointing(by: str) -> tuple[int, Cell]:
    if by in COMPASS:
        return 0, COMPASS[by]
    return (1, _SLANTED[by]) if by in _SLANTED else (2, (1, 1))


def _part(first: str, beside: Beside, left: set[str]) -> dict[str, Cell]:
    """The rooms that hang together with one, which is at the origin."""
    sheet = _Sheet(beside)
    sheet.put(first, (0, 0))
    queue = deque([first])
    while queue:
        room = queue.popleft()
        for end in beside.get(room, {}):
            if end in left and end not in sheet.cells:
                sheet.put(end, sheet.best(end, sheet.cells[room]))
                queue.append(end)
    return sheet.cells


class _Sheet:
    """A part of the map as far as it is drawn."""

    def __init__(self, beside: Beside) -> None:
        self.cells: dict[str, Cell] = {}
        self._beside = beside
        self._taken: set[Cell] = set()
        self._crossed: Counter[Cell] = Counter()

    def put(self, room: str, cell: Cell) -> None:
        """Draw a room, and the lines to its neighbours that are drawn already."""
        self.cells[room] = cell
        self._taken.add(cell)
        for other, _ in self._drawn_beside(room):
            self._crossed.update(_between(self.cells[other], cell))

    def best(self, room: str, near: Cell) -> Cell:
        """The free cell where a room harms least."""
        others = [(self.cells[other], way) for other, way in self._drawn_beside(room)]
        reach = _REACH
        while True:
            span = range(-reach, reach + 1)
            around = [(near[0] + dx, near[1] + dy) for dy in span for dx in span]
            free = [cell for cell in around if cell not in self._taken]
            if free:
                return min(free, key=lambda cell: (self._cost(cell, others), cell))
            reach *= 2

    def _drawn_beside(self, room: str) -> list[tuple[str, tuple[Cell, float]]]:
        """The neighbours of a room that are drawn, which way it is from each, and how much that matters."""
        ways = self._beside.get(room, {})
        drawn = (
            (other, ((-x, -y), weight)) for other, ((x, y), weight) in ways.items() if other in self.cells
        )
        return list(drawn)[:_NEIGHBOURS]

    def _cost(self, cell: Cell, others: Sequence[tuple[Cell, tuple[Cell, float]]]) -> float:
        cost = _ACROSS * self._crossed[cell]
        for other, (way, weight) in others:
            x, y = cell[0] - other[0], cell[1] - other[1]
            length = hypot(x, y)
            straight = (x * way[0] + y * way[1]) / (length * hypot(*way))
            through = sum(between in self._taken for between in _between(other, cell))
            cost += weight * _ASTRAY * (1 - straight) + _FAR * length + _THROUGH * through
        return cost


@lru_cache(maxsize=32_768)
def _between(start: Cell, end: Cell) -> tuple[Cell, ...]:
    """The cells that a straight line runs through, without its ends."""
    steps = 4 * max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    points = (
        (
            round(start[0] + (end[0] - start[0]) * at / steps),
            round(start[1] + (end[1] - start[1]) * at / steps),
        )
        for at in range(1, steps)
    )
    return tuple(cell for cell in dict.fromkeys(points) if cell not in (start, end))


def _moved_beside(part: Mapping[str, Cell], cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """A part of a map, to the right of what is drawn already."""
    right = max((x for x, _ in cells.values()), default=-_GAP)
    top = min((y for _, y in cells.values()), default=0)
    left = min(x for x, _ in part.values())
    highest = min(y for _, y in part.values())
    return {room: (x - left + right + _GAP, y - highest + top) for room, (x, y) in part.items()}
