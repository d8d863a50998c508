"""How a kind of action has fared."""

from __future__ import annotations

from dataclasses import dataclass


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


def verb_of(action: str) -> str:
    """An action's verb."""
    return action.partition(" ")[0]


def target_of(action: str) -> str:
    """Where an action puts something: `put coin in slot` aims at `put slot`."""
    return f"{verb_of(action)} {action.rpartition(' ')[2]}"
