"""How likely an action has an effect: learned for each phrase, and for each kind of unit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

CONFIDENCE = 3.0
"""Tries that a phrase's first estimate counts for."""
FIRST_ESTIMATES = ((9, 0.3), (20, 0.12), (45, 0.06))
"""Of the phrases up to a rank: the share of tries that have an effect."""
LAST_ESTIMATE = 0.03
READING = ("examine {}", "read {}", "search {}", "look under {}", "look in {}")
READ = 0.3
"""The first estimate of the phrases that make a story tell more, and name more things."""
KIND_CONFIDENCE = 2.0
"""Expected effects that the first factor of a kind counts for."""

Kind = Hashable


@dataclass(slots=True)
class Rate:
    """How many effects there were for each that was expected."""

    expected: float
    effects: float

    @property
    def value(self) -> float:
        """Effects for each that was expected."""
        return self.effects / self.expected

    def count(self, expected: float, *, effect: bool) -> None:
        """Count a try."""
        self.expected += expected
        self.effects += effect


class Worth:
    """The product of two rates: the phrase's, and the unit's kind's."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """`phrases`: best first."""
        self._phrases = [
            Rate(CONFIDENCE, CONFIDENCE * estimate(rank, text)) for rank, text in enumerate(phrases)
        ]
        self._kinds: dict[Kind, Rate] = {}

    def phrase(self, number: int) -> float:
        """How often a phrase has an effect, where nothing else is known."""
        return self._phrases[number].value

    def factor(self, kind: Kind, first: float) -> float:
        """By how much a kind of unit raises the rate of a phrase. `first`: the factor of a new kind."""
        own = self._kinds.get(kind)
        return first if own is None else own.value

    def count(self, number: int, kind: Kind, first: float, *, effect: bool) -> None:
        """Count a try of a phrase."""
        own = self._kinds.setdefault(kind, Rate(KIND_CONFIDENCE, KIND_CONFIDENCE * first))
        phrase, factor = self._phrases[number], own.value
        own.count(phrase.value, effect=effect)
        phrase.count(factor, effect=effect)


def estimate(rank: int, text: str) -> float:
    """How often a phrase will have an effect, by its rank."""
    if text in READING:
        return READ
    return next((share for end, share in FIRST_ESTIMATES if rank < end), LAST_ESTIMATE)
