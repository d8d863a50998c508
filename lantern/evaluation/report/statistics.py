"""Statistics over the plays of an evaluation: pure functions over numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported where it is used: commands that report nothing start without it
    from numpy import float64
    from numpy.typing import NDArray

DRAWS = 10_000
"""Draws of a bootstrap."""

SEED = 20_261_122
"""Of the bootstrap, so that equal results give equal intervals."""

CONFIDENCE = 95.0
"""Percent of the draws that lie in an interval."""

FEW_GAMES = 10
FEW_GAMES_NOTE = f"With fewer than {FEW_GAMES} games, intervals are too narrow and the sureness is too high."
"""A percentile bootstrap of few clusters knows too little of how much they vary."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a mean over games lies with the chosen confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """B minus A over the games and seeds that both have played."""

    pairs: int
    """Plays of A that have a play of B to be compared with."""
    by_game: Mapping[str, float]
    """By game, the mean difference over its pairs."""
    difference: float
    """The mean over games: each game counts the same, whatever the number of its pairs."""
    interval: Interval | None
    """None: there is one game only."""
    above_zero: float | None
    """The share of the draws in which the difference is above 0 (a draw of exactly 0 counts half)."""

    @property
    def sureness(self) -> float | None:
        """The share of the draws that agree with the sign of the difference."""
        if self.above_zero is None:
            return None
        return 1 - self.above_zero if self.difference < 0 else self.above_zero


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None: of nothing."""
    return fmean(values) if values else None


def deviation(values: Sequence[float]) -> float | None:
    """The sample's standard deviation (n - 1); None: of fewer than two values."""
    return stdev(values) if len(values) > 1 else None


def disagreement(values: Sequence[float]) -> float | None:
    """The share of the pairs of values that differ; None: there is no pair."""
    pairs = list(combinations(values, 2))
    return sum(one != other for one, other in pairs) / len(pairs) if pairs else None


def interval(by_game: Sequence[float]) -> Interval | None:
    """The percentile bootstrap interval of a mean over games; None: there are fewer than two games.

    Whole games are drawn with replacement, because the plays of one game are not independent of each other
    (a cluster bootstrap; Davison and Hinkley, Bootstrap Methods and their Application, 1997, sections 3.8
    and 5.3). The interval says what other games might give, not what other seeds might.
    """
    return _interval_of(_draws(by_game)) if len(by_game) > 1 else None


def paired_difference(
    a: Mapping[tuple[str, object], float], b: Mapping[tuple[str, object], float]
) -> PairedDifference | None:
    """B minus A. The keys are game and seeds; None: they have no key in common."""
    common = sorted(a.keys() & b.keys(), key=repr)
    if not common:
        return None
    of_game: dict[str, list[float]] = {}
    for key in common:
        of_game.setdefault(key[0], []).append(b[key] - a[key])
    by_game = {game: fmean(differences) for game, differences in of_game.items()}
    draws = _draws([*by_game.values()]) if len(by_game) > 1 else None
    return PairedDifference(
        pairs=len(common),
        by_game=by_game,
        difference=fmean(by_game.values()),
        interval=None if draws is None else _interval_of(draws),
        above_zero=None if draws is None else _share_above_zero(draws),
    )


def _draws(by_game: Sequence[float]) -> NDArray[float64]:
    """The mean of each draw, the same games drawn whenever there are as many games."""
    import numpy as np

    values = np.asarray(by_game, dtype=np.float64)
    chosen = np.random.default_rng(SEED).integers(0, len(values), size=(DRAWS, len(values)))
    means: NDArray[float64] = values[chosen].mean(axis=1)
    return means


def _interval_of(draws: NDArray[float64]) -> Interval:
    import numpy as np

    tail = (100 - CONFIDENCE) / 2
    low, high = np.percentile(draws, [tail, 100 - tail])
    return Interval(float(low), float(high))


def _share_above_zero(draws: NDArray[float64]) -> float:
    return float((draws > 0).mean() + (draws == 0).mean() / 2)
