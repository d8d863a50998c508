"""Nothing, a thing, or a pair, and what was tried on it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from search.frontier.facts.reader import Fact
from search.frontier.scene import ReachableThing

AGAIN = 0.15
"""The worth of a phrase that was tried in vain at a lower score."""


@dataclass(slots=True)
class Deed:
    """What an action has done once. The same action may do more elsewhere."""

    actions: tuple[str, ...]
    facts: tuple[Fact, ...]
    gained: int
    """Points."""
    rearranges: bool
    """Whether it only lets go of things that were held."""
    failures: int = 0
    """How often it did not work again."""


@dataclass(slots=True)
class Unit:
    """Nothing, a thing, or a pair in a certain state at a place: what was tried on it, and what worked."""

    things: tuple[ReachableThing, ...]
    anchor: Hashable
    """With what a phrase that has earned points may earn more: a pair's other thing, or the place."""
    factor: float
    score: int
    """At which it was met last."""
    gaps: int
    """Of the phrases that fit; `TOPICAL`: those with a topic."""
    tried: set[int] = field(default_factory=set)
    """Phrases tried at this score."""
    before: frozenset[int] = frozenset()
    """Phrases tried at lower scores."""
    deeds: dict[str, Deed] = field(default_factory=dict)
    curious: set[int] = field(default_factory=set)
    """Phrases whose answer was new, and was given to no other thing."""
    context: Hashable = None
    """Stands for what was held and true when they were tried last."""
    renewals: int = 0
    """In how many contexts they were tried again."""
    failures: int = 0
    """Tries in a row that were answered as if the thing were not there."""
    best: tuple[int, float] = (-1, 0.0)
    """The phrase that is to be tried next, and its worth."""
    version: int = -1
    """Of the phrases' order by which `best` was chosen; -1: it is to be chosen again."""

    @property
    def takes_all(self) -> bool:
        """Whether phrases for something that is held fit, too."""
        return not self.things or self.things[0].held

    @property
    def tool(self) -> int:
        """What is held, of a pair; else 0."""
        return self.things[0].number if self.gaps == 2 else 0

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Of its things."""
        return tuple(thing.number or thing.noun for thing in self.things)

    def share(self, number: int) -> float:
        """How likely a phrase has an effect here, beside a single thing that it was not tried on."""
        return self.factor * (AGAIN if number in self.before else 1.0)
