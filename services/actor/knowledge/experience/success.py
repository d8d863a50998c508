"""How kinds of actions have succeeded."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache, partial

from folds.vocabulary.words import head_of


@dataclass(slots=True)
class TryStatistics:
    """Tries, tries that had an effect, points."""

    tries: int = 0
    effects: int = 0
    points: int = 0

    def note(self, effective: bool, points: int) -> None:
        """Count one try."""
        self.tries += 1
        self.effects += effective
        self.points += points

    @property
    def trust(self) -> float:
        """Near 1 for what always has an effect, or was never tried; near 0 for what never has one."""
        return (self.effects + 2.0) / (self.tries + 2.0)


@dataclass(slots=True)
class RecentSuccess:
    """How often something has worked lately, from 0 to 1: the newest try weighs most."""

    rate: float = 0.7

    def note(self, worked: bool) -> None:
        """Count one try."""
        self.rate += _NEWEST * (worked - self.rate)


_NEWEST = 0.15


@dataclass(slots=True)
class SuccessRates:
    """The success of verbs, and of kinds of actions that a game may or may not reward."""

    verbs: dict[str, TryStatistics] = field(default_factory=partial(defaultdict, TryStatistics))
    targets: dict[str, TryStatistics] = field(default_factory=partial(defaultdict, TryStatistics))
    """By verb and the thing into which (or onto which) something was put."""
    described: RecentSuccess = field(default_factory=RecentSuccess)
    """How often a noun of a room's description could be examined."""
    told: RecentSuccess = field(default_factory=RecentSuccess)
    """How often a noun could be examined that only an answer or an event named."""
    unlikely_ways: RecentSuccess = field(default_factory=RecentSuccess)
    """How often a direction that no text mentions led somewhere."""
    talk: RecentSuccess = field(default_factory=RecentSuccess)
    """How often somebody had an answer."""
    burdens: RecentSuccess = field(default_factory=RecentSuccess)
    """How often a thing could not be taken because the player carried too much, and not for its own sake."""

    def of_verb(self, verb: str) -> TryStatistics:
        """How a verb has fared; do not change what is returned."""
        return self.verbs.get(verb, _NEVER_TRIED)


_NEVER_TRIED = TryStatistics()
_LINK = re.compile(r" (?:with|to|from|in|into|on|onto|at|under|behind|over|through|about) ")


def verb_of(action: str) -> str:
    """An action's verb."""
    return action.partition(" ")[0]


@lru_cache(maxsize=8192)
def thing_of(action: str) -> str:
    """What an action is done with: of `put brass coin in slot`, the brass coin; empty: it names nothing."""
    return _LINK.split(action.partition(" ")[2])[0]


def tool_of(action: str) -> str:
    """The noun of what an action is done with; empty: with nothing."""
    return head_of(action.partition(" with ")[2]) if " with " in action else ""


def target_of(action: str) -> str:
    """Where an action puts something: `put coin in slot` aims at `put slot`."""
    return f"{verb_of(action)} {action.rpartition(' ')[2]}"
