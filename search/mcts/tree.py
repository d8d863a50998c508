"""The tree: positions, what was tried from each, and what it is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from search.environment import SavedPosition


@dataclass(slots=True)
class Edge:
    """An action that may be tried at a position, and what it was worth so far."""

    action: str
    visits: int = 0
    """N(s, a)"""
    value: float = 0.0
    """Q(s, a): the mean of the discounted rewards that followed."""
    reward: int = 0
    """The points that the action itself gained or lost."""
    child: Node | None = None

    def update(self, reward: float) -> None:
        """Fold one more return into the mean (algorithm 1, lines 28 and 29)."""
        self.visits += 1
        self.value += (reward - self.value) / self.visits


@dataclass(slots=True)
class Node:
    """A position that the search has reached."""

    position: SavedPosition
    text: str
    """What the game printed there."""
    action: str = ""
    """The action that led there; empty: none of this search."""
    failed: bool = False
    """Whether the game was lost there."""
    edges: list[Edge] = field(default_factory=list)
    observation: str = ""
    """The text with what `look` and `inventory` print; empty: not looked at yet."""
    prior: tuple[float, ...] = ()
    """π(a | s), for each edge; empty: the model was not asked yet."""
    lessons_known: int = 0
    """The lessons that the model knew when it was asked."""

    @property
    def visits(self) -> int:
        """N(s)"""
        return sum(edge.visits for edge in self.edges)

    def selected(self, exploration: float) -> Edge:
        """The edge of the greatest PUCT value (equations 2 and 3); of equals, the more promising one."""
        root = math.sqrt(self.visits)

        def value(index: int) -> tuple[float, float]:
            edge, share = self.edges[index], self.prior[index]
            return edge.value + exploration * share * root / (1 + edge.visits), share

        return self.edges[max(range(len(self.edges)), key=value)]

    def best(self) -> Edge:
        """The edge of the greatest mean return (algorithm 1, line 7); of equals, the one tried most."""
        return max((edge for edge in self.edges if edge.visits), key=lambda edge: (edge.value, edge.visits))
