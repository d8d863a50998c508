"""How the highest score of an agent grows over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lantern.evaluation.report.averages import Value, deviation_over_seeds, mean_over_games
from lantern.evaluation.results import PlayResult, PlayState

POINTS = 120
"""Of a curve, at most."""


@dataclass(frozen=True, slots=True)
class Curve:
    """After each of some steps: the mean over games of the highest score so far, in percent."""

    agent: str
    steps: tuple[int, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    """Standard deviation over seeds; 0: there is one seed only."""


def curve_of(plays: Sequence[PlayResult], step_budget: int) -> Curve | None:
    """The curve of one agent; None: no score of it is known. A play that ended early keeps its score."""
    steps = sorted({round(step_budget * i / POINTS) for i in range(POINTS + 1)})
    means = [mean_over_games(plays, highest_after(step)) for step in steps]
    known = [each for each in means if each is not None]
    if len(known) < len(steps):
        return None
    deviations = (deviation_over_seeds(plays, highest_after(step)) or 0.0 for step in steps)
    return Curve(plays[0].agent, tuple(steps), tuple(known), tuple(deviations))


def highest_after(step: int) -> Value:
    """The highest score of a play up to a step, in percent."""

    def value(play: PlayResult) -> float | None:
        if play.state is PlayState.FAILED:
            return None
        scores = [score for changed, score in play.score_changes if changed <= step]
        return play.percent_of(max(scores)) if scores else None

    return value
