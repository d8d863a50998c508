"""Means over the plays of one agent: each game counts the same, whatever the number of its seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from lantern.evaluation.report.statistics import deviation, mean
from lantern.evaluation.results import PlayResult

Value: TypeAlias = Callable[[PlayResult], float | None]
"""What is averaged; None: the play counts nowhere."""


def grouped(plays: Iterable[PlayResult], key: Callable[[PlayResult], Any]) -> dict[Any, list[PlayResult]]:
    """The plays by a property of theirs."""
    groups: dict[Any, list[PlayResult]] = {}
    for play in plays:
        groups.setdefault(key(play), []).append(play)
    return groups


def by_game(plays: Sequence[PlayResult], value: Value) -> dict[str, float]:
    """By story (md5), the mean over its seeds; without the games of which nothing is known."""
    games = grouped(plays, lambda play: play.story_md5)
    known = {game: known_values(each, value) for game, each in games.items()}
    return {game: fmean(values) for game, values in known.items() if values}


def mean_over_games(plays: Sequence[PlayResult], value: Value) -> float | None:
    """The mean over games of the means over seeds."""
    return mean([*by_game(plays, value).values()])


def deviation_over_seeds(plays: Sequence[PlayResult], value: Value) -> float | None:
    """The standard deviation of the mean over games from seed to seed.

    A seed with which one of the games is not known is left out: it would differ for its games alone.
    """
    games = by_game(plays, value).keys()
    seeds = grouped(plays, seeds_of)
    means = (by_game(each, value) for each in seeds.values())
    return deviation([fmean(values.values()) for values in means if values and values.keys() == games])


def known_values(plays: Iterable[PlayResult], value: Value) -> list[float]:
    """The values of the plays that have one."""
    return [known for play in plays if (known := value(play)) is not None]


def seeds_of(play: PlayResult) -> tuple[int, int]:
    """What two plays of one game must share to be compared."""
    return play.emulator_seed, play.agent_seed
