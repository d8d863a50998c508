"""The cells of the search, and the queue of those that are to be expanded."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from random import Random

from search.environment import SavedPosition
from search.frontier.facts.reader import Fact

HIGHEST = 0.6
"""How likely the highest score is chosen, each time."""
WIDEST = 400
"""Cells of one score and kind that are kept."""
THRESHOLD = 0.008
"""The worth below which a phrase is not tried at first."""


class CellKind(IntEnum):
    """Why a cell is expanded."""

    NEW = 0
    """It has earned points, or something is true there that was not."""
    AGAIN = 1
    """It was expanded before, and phrases of less worth are left."""
    REARRANGED = 2
    """Something was let go of."""


SHARES = {CellKind.NEW: 0.65, CellKind.AGAIN: 0.3, CellKind.REARRANGED: 0.05}
"""How often a kind is chosen."""
Level = dict[CellKind, list[tuple[tuple[float, ...], int, "DeedCell"]]]


@dataclass(slots=True)
class DeedCell:
    """A position, and the actions that lead to it."""

    position: SavedPosition
    before: DeedCell | None
    actions: tuple[str, ...]
    """From the node before."""
    length: int
    """Actions from the opening."""
    threshold: float = THRESHOLD
    """The worth below which a phrase is not tried from here."""

    @property
    def score(self) -> int:
        """Points."""
        return self.position.score

    def after(self, actions: tuple[str, ...], position: SavedPosition) -> DeedCell:
        """The node to which actions lead."""
        return DeedCell(position, self, actions, self.length + len(actions))

    def route(self) -> tuple[str, ...]:
        """All actions from the opening."""
        parts: list[tuple[str, ...]] = []
        node: DeedCell | None = self
        while node is not None:
            parts.append(node.actions)
            node = node.before
        return tuple(action for part in reversed(parts) for action in part)


@dataclass
class Frontier:
    """Cells by score; within a score the most promising first."""

    random: Random
    levels: dict[int, Level] = field(default_factory=dict)
    seen: dict[int, set[Fact]] = field(default_factory=dict)
    """The facts that were true at a score."""
    pushed: int = 0

    def known(self, score: int) -> set[Fact]:
        """The facts that were true at a score."""
        return self.seen.setdefault(score, set())

    def learn(self, score: int, facts: Iterable[Fact]) -> None:
        """Facts that are true at a score."""
        self.known(score).update(facts)

    def push(self, kind: CellKind, rank: tuple[float, ...], node: DeedCell) -> None:
        """Add a node; of its kind the least rank is expanded first."""
        level = self.levels.setdefault(node.score, {each: [] for each in CellKind})
        self.pushed += 1
        heapq.heappush(level[kind], (rank, self.pushed, node))
        if len(level[kind]) > 2 * WIDEST:
            level[kind] = heapq.nsmallest(WIDEST, level[kind])

    def pop(self) -> DeedCell | None:
        """A node of a high score; None: there is none left."""
        scores = sorted((score for score, level in self.levels.items() if any(level.values())), reverse=True)
        if not scores:
            return None
        chosen = next((score for score in scores if self.random.random() < HIGHEST), scores[0])
        level = {kind: heap for kind, heap in self.levels[chosen].items() if heap}
        kind = self.random.choices(list(level), [SHARES[kind] for kind in level])[0]
        return heapq.heappop(level[kind])[2]

    def __len__(self) -> int:
        return sum(len(heap) for level in self.levels.values() for heap in level.values())
