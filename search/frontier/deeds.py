"""What an action did from a place, and whether that does harm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from search.environment import Environment, SavedPosition
from search.frontier.facts.places import Vector
from search.frontier.facts.reader import Fact, FactReader
from search.frontier.nodes import Frontier
from search.frontier.scene import ReachableThing
from search.frontier.sweep import Stop, Sweep, Walker
from search.grafting import Earning

DEEPEST = 6
ANSWERS = "yes", "no"
"""What a question is answered with: with the first that does not end the game."""


class DeedResult(NamedTuple):
    """A deed from a stop, and what it led to."""

    stop: Stop
    actions: tuple[str, ...]
    position: SavedPosition
    memory: Vector
    changed: list[int]
    moved: bool

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What it made true."""
        return tuple((at, int(self.memory[at])) for at in self.changed)

    @property
    def gained(self) -> int:
        """Points."""
        return self.position.score - self.stop.position.score

    @property
    def action(self) -> str:
        """The last that answers no question."""
        return next((action for action in reversed(self.actions) if action not in ANSWERS), self.actions[-1])

    @property
    def earning(self) -> Earning:
        """Where, by what and how many points were earned."""
        return self.stop.place, self.action, self.gained


@dataclass
class DeedReader:
    """Reads from the emulator what has been done, and judges it."""

    environment: Environment
    facts: FactReader
    walker: Walker
    frontier: Frontier
    base: Vector
    """The memory at the opening."""

    def found(self, stop: Stop, actions: tuple[str, ...]) -> DeedResult | None:
        """What actions have led to; None: to nothing but another place."""
        memory, position = self.facts.vector(), self.environment.save()
        changed, place = self.facts.changes(stop.memory, memory), self.facts.place()
        if place[0] != stop.place[0]:
            changed = self.facts.beyond_moving(stop.memory, memory, changed, stop.place[0], place[0])
        changed = self.walker.beyond_waiting(stop, changed)
        if not changed and position.score == stop.position.score:
            return None
        return DeedResult(stop, actions, position, memory, changed, place != stop.place)

    def news(self, score: int, facts: tuple[Fact, ...]) -> list[Fact]:
        """The facts that were not true at the opening, nor ever at this score."""
        base, known, of_kind = self.base.data, self.frontier.known(score), self.facts.of_kind
        return [fact for fact in facts if base[fact[0]] != fact[1] and of_kind(fact) not in known]

    def is_useful(self, deed: DeedResult) -> bool:
        """Whether a deed earns points, or makes something true that was not true before at its score."""
        return deed.gained > 0 or self.is_strong(deed, self.news(deed.position.score, deed.facts))

    def is_harmless(self, deed: DeedResult) -> bool:
        """Whether a deed loses no points, no object, and nothing held, unless that earns points.

        A question that is still to be answered is harmful, too.
        """
        if deed.position.done or deed.position.asks or deed.gained < 0:
            return False
        return not any(self._is_lost(deed, number) for number in self._moved_objects(deed))

    def rearranges(self, deed: DeedResult) -> bool:
        """Whether all that a deed did is to put things elsewhere that were held."""
        return {self.facts.places.parent_at.get(at, 0) for at in deed.changed} <= deed.stop.scene.held

    def is_strong(self, deed: DeedResult, news: Iterable[Fact]) -> bool:
        """Whether facts say more than where something lies that was held, or lay in another room."""
        return any(self._is_strong(deed, at) for at, _ in news)

    def _is_strong(self, deed: DeedResult, at: int) -> bool:
        number = self.facts.places.parent_at.get(at)
        if number is None:
            return True
        if number in deed.stop.scene.held:
            return False
        if self.facts.parent(deed.memory, number) not in self.facts.learned.rooms:
            return True
        return (-number, 0) not in self.frontier.known(deed.position.score)

    def context(self, sweep: Sweep) -> int:
        """A hash of what is held, and of what is true of things that was not at the opening."""
        first = next(iter(sweep.stops.values()))
        changed = self.facts.changes(self.base, first.memory)
        marks = tuple((at, int(first.memory[at])) for at in changed if at not in self.facts.places.parent_at)
        return hash((first.scene.held, marks))

    def richness(self, sweep: Sweep) -> float:
        """How much is not as it was at the opening."""
        return float(len(self.facts.changes(self.base, next(iter(sweep.stops.values())).memory)))

    def in_hand(self, stop: Stop) -> list[ReachableThing]:
        """What the player holds at a stop; not what is inside of that."""
        player, parent = self.environment.player, self.facts.parent
        return [
            thing for thing in stop.scene.things if thing.held and parent(stop.memory, thing.number) == player
        ]

    def holds(self, memory: Vector, number: int) -> bool:
        """Whether the player carries an object."""
        for _ in range(DEEPEST):
            number = self.facts.parent(memory, number)
            if number in (0, self.environment.player):
                return number == self.environment.player
        return False

    def _moved_objects(self, deed: DeedResult) -> set[int]:
        return {self.facts.places.parent_at[at] for at in deed.changed if at in self.facts.places.parent_at}

    def _is_lost(self, deed: DeedResult, number: int) -> bool:
        if self.facts.parent(deed.memory, number) == 0:
            return any(thing.number == number for thing in deed.stop.scene.things)
        return deed.gained <= 0 and number in deed.stop.scene.held and not self.holds(deed.memory, number)
