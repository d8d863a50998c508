"""The figures that the source of each preset reports, so that ours stand beside those that are published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from lantern.evaluation.report.averages import Value, deviation_over_seeds, mean_over_games
from lantern.evaluation.report.plays import Score, percent, percent_any_score
from lantern.evaluation.results import PlayResult, PlayState


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of one agent: a mean over games, and its standard deviation over seeds."""

    value: float | None
    deviation: float | None


def figures_of(plays: Sequence[PlayResult]) -> dict[str, Figure]:
    """By name, the figures of the plays' preset; those of one agent under one regime."""
    return {
        name: Figure(mean_over_games(plays, value), deviation_over_seeds(plays, value))
        for name, value in FIGURES.get(plays[0].regime, {}).items()
    }


def percent_of_highest(play: PlayResult) -> float | None:
    """TALES' figure: the highest score in percent of the maximum, the opening's points included."""
    if play.state is PlayState.FAILED or play.best_score is None or not play.max_score:
        return None
    return 100 * play.best_score / play.max_score


def area_under_curve(play: PlayResult) -> float | None:
    """J-TTL's figure: the mean over episodes of the score at the end of each, in percent.

    This is the area under the curve of scores over the area under a curve that is always at the maximum
    (He and others, EvoTest, 2025, arXiv:2510.13220).
    """
    scores = episode_scores(play)
    return play.percent_of(fmean(scores)) if scores and play.state is not PlayState.FAILED else None


def episode_scores(play: PlayResult) -> list[int]:
    """The score at the end of each episode, the last of which may be cut by the budget."""
    ends = [*play.episode_ends]
    if not ends or ends[-1] < play.steps:
        ends.append(play.steps)
    scores = [score_at(play, end) for end in ends]
    return [score for score in scores if score is not None]


def score_at(play: PlayResult, step: int) -> int | None:
    """The score after a step; None: unknown."""
    known = [score for changed, score in play.score_changes if changed <= step]
    return known[-1] if known else play.opening_score


def _final(play: PlayResult) -> float | None:
    return percent(play, Score.FINAL)


def _best(play: PlayResult) -> float | None:
    return percent(play, Score.BEST)


def _progress(play: PlayResult) -> float | None:
    return None if play.progress is None else 100 * play.progress


def _steps(play: PlayResult) -> float:
    return float(play.steps)


def _seconds(play: PlayResult) -> float:
    return play.seconds


FIGURES: dict[str, dict[str, Value]] = {
    "competition": {"% of maximum": _final, "% of games with any score": percent_any_score},
    "tales": {"highest score, % of maximum": percent_of_highest},
    "textquests": {"progress by checkpoints, %": _progress, "progress by points, %": _best},
    "jttl": {"AUC over episodes, %": area_under_curve},
    "search": {"% of maximum": _best, "steps": _steps, "seconds": _seconds},
}
"""By preset, what its source reports."""
