"""How likely a phrase has an effect: learned from its tries."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

CONFIDENCE = 3.0
"""Tries that a phrase's first estimate counts for."""
FIRST_ESTIMATES = ((9, 0.3), (20, 0.12), (45, 0.06))
"""Of the phrases up to a rank: the share of tries that have an effect."""
LAST_ESTIMATE = 0.03
CHANCE = (0.6, 1.5)
"""By what a first estimate is multiplied, at least and at most."""
USUAL, LEAST = 45, 0.012
"""The least worth of a phrase for one thing, up to a rank: what has failed often may work with the next."""
READING = ("examine {}", "read {}", "search {}", "look under {}", "look in {}")
READ = 0.3
"""The first estimate of the phrases that make a story tell more, and name more things."""


class Worth:
    """How often each phrase has an effect, where nothing else is known."""

    def __init__(self, phrases: Iterable[tuple[int, str]], random: Random) -> None:
        """`phrases`: each with its rank. `random`: makes one search prefer others than the next."""
        self.values: list[float] = []
        """Of each phrase the share of its tries that have an effect."""
        self._random = random
        self._least: list[float] = []
        self._tries: list[float] = []
        self._effects: list[float] = []
        self.add(phrases)

    def add(self, phrases: Iterable[tuple[int, str]]) -> None:
        """More phrases, each with its rank."""
        for rank, text in phrases:
            self._least.append(LEAST if rank < USUAL and text.count("{}") == 1 else 0.0)
            self._tries.append(CONFIDENCE)
            self._effects.append(CONFIDENCE * estimate(rank, text) * self._random.uniform(*CHANCE))
            self.values.append(0.0)
            self._note(len(self.values) - 1)

    def expect(self, number: int, share: float) -> None:
        """Expect an effect as of a phrase that was never tried."""
        self._tries[number], self._effects[number] = CONFIDENCE, CONFIDENCE * share
        self._note(number)

    def count(self, number: int, factor: float, *, effect: bool) -> None:
        """Count a try; of a unit from which less is expected, as less than one."""
        self._tries[number] += factor
        self._effects[number] += effect
        self._note(number)

    def _note(self, number: int) -> None:
        self.values[number] = max(self._effects[number] / self._tries[number], self._least[number])


def estimate(rank: int, text: str) -> float:
    """How often a phrase will have an effect, by its rank."""
    if text in READING:
        return READ
    return next((share for end, share in FIRST_ESTIMATES if rank < end), LAST_ESTIMATE)
