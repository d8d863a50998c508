"""Where the names of ways stand: near their lines, clear of rooms and of each other as far as that can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Point = tuple[float, float]

LETTER, GAP, HEIGHT = 5.6, 8.0, 12.0
"""Of a label, in pixels: mean width of a letter, the gap around it, and the height of its line."""
_SHIFTS = (0.0, -HEIGHT, HEIGHT, -2 * HEIGHT, 2 * HEIGHT)
_ASIDE = 4.0
"""What is paid for each pixel beside the line, in square pixels that are covered."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, by its middle and its size."""

    x: float
    y: float
    width: float
    height: float

    def shared_with(self, other: Box) -> float:
        """The area that both cover."""
        across = (self.width + other.width) / 2 - abs(self.x - other.x)
        down = (self.height + other.height) / 2 - abs(self.y - other.y)
        return max(0.0, across) * max(0.0, down)


class Labels:
    """Finds a place for one label after the other."""

    def __init__(self, taken: Iterable[Box]) -> None:
        self._taken = list(taken)

    def place(self, told: str, along: Sequence[Point]) -> Point:
        """Where a label's middle goes: of the points of its line, best first, and those above and below."""
        spots = ((shift, x, y) for shift in _SHIFTS for x, y in along)
        shift, x, y = min(spots, key=lambda spot: self._cost(told, *spot))
        self._taken.append(_box_of(told, x, y + shift))
        return x, y + shift

    def _cost(self, told: str, shift: float, x: float, y: float) -> float:
        box = _box_of(told, x, y + shift)
        return _ASIDE * abs(shift) + sum(box.shared_with(other) for other in self._taken)


def _box_of(told: str, x: float, y: float) -> Box:
    return Box(x, y, LETTER * len(told) + GAP, HEIGHT)
