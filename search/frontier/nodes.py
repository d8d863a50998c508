"""The cells of the search, and the queue of those that are to be expanded."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from search.environment import SavedPosition
from search.frontier.facts import Fact

HIGHEST = 0.6
"""How likely the highest score is chosen, each time."""
WIDEST = 400
"""Cells of one score that are kept."""


@dataclass(slots=True)
class DeedCell:
    """A position, and the actions that lead to it."""

    position: SavedPosition
    before: DeedCell | None
    actions: tuple[str, ...]
    """From the node before."""
    length: int
    """Actions from the opening."""

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
    levels: dict[int, list[tuple[tuple[float, ...], int, DeedCell]]] = field(default_factory=dict)
    seen: dict[int, set[Fact]] = field(default_factory=dict)
    """The facts that were true at a score."""
    pushed: int = 0

    def novel(self, score: int, facts: Iterable[Fact]) -> list[Fact]:
        """The facts that were never true at this score."""
        known = self.seen.setdefault(score, set())
        return [fact for fact in facts if fact not in known]

    def learn(self, score: int, facts: Iterable[Fact]) -> None:
        """Facts that are true at a score."""
        self.seen.setdefault(score, set()).update(facts)

    def push(self, rank: tuple[float, ...], node: DeedCell) -> None:
        """Add a node; the least rank is expanded first."""
        level = self.levels.setdefault(node.score, [])
        self.pushed += 1
        heapq.heappush(level, (rank, self.pushed, node))
        if len(level) > 2 * WIDEST:
            self.levels[node.score] = heapq.nsmallest(WIDEST, level)

    def pop(self) -> DeedCell | None:
        """A node of a high score; None: there is none left."""
        scores = sorted((score for score, level in self.levels.items() if level), reverse=True)
        if not scores:
            return None
        for score in scores:
            if self.random.random() < HIGHEST:
                return heapq.heappop(self.levels[score])[2]
        return heapq.heappop(self.levels[scores[0]])[2]

    def __len__(self) -> int:
        return sum(len(level) for level in self.levels.values())
