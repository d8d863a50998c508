"""What the plays of an evaluation come to: the numbers that the page, the tables and `summary.json` show.

All scores are percents of what is to be gained: 0 is the opening's score, 100 the story's maximum. A mean
over games takes the mean over seeds in each game first. Plays that failed count nowhere but as failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lantern.evaluation.report.figures import Figure
from lantern.evaluation.report.statistics import CONFIDENCE, DRAWS, SEED, Interval, PairedDifference

FORMAT = 1
"""Of `summary.json`."""


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """What an agent scored; None: unknown."""

    mean: float | None
    deviation: float | None
    """Standard deviation of the mean over games, over the seeds with which every game was finished."""
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """One agent under one regime."""

    agent: str
    policy: str
    model: str | None
    outside: str | None
    budget_usd: float | None
    without: tuple[str, ...]
    without_behaviours: tuple[str, ...]
    replaced: Mapping[str, str]
    handicaps: tuple[str, ...]
    plays: int
    failed: int
    games: int
    best: ScoreSummary
    final: ScoreSummary
    any_score: float | None
    """Percent of the games with any point more than the opening's, a mean over seeds."""
    any_score_deviation: float | None
    disagreement: float | None
    """Percent of the pairs of seeds of one game that end with different highest scores, a mean over games."""
    steps: int
    """This and what follows: over all plays."""
    episodes: int
    deaths: int
    victories: int
    tokens: int
    usd: float
    seconds: float
    degraded_steps: int
    search_cut: int
    figures: Mapping[str, Figure]
    """The figures that the preset's source reports, by name."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One agent on one game."""

    game: str
    story_md5: str
    agent: str
    plays: int
    failed: int
    best: float | None
    best_deviation: float | None
    final: float | None
    highest_score: int | None
    """In points, over all seeds."""
    max_score: int | None
    disagreement: float | None


@dataclass(frozen=True, slots=True)
class AgentPair:
    """Two agents on the plays that both have finished, by their highest scores: B minus A."""

    a: str
    b: str
    difference: PairedDifference


@dataclass(frozen=True, slots=True)
class PartShare:
    """What parts add: an agent minus the same agent without them, or with other sub-agents in their place.

    A part is a sub-agent, the critic, or a behaviour.
    """

    agent: str
    other: str
    change: str
    """How `other` differs: `without narrator`."""
    adds: PairedDifference


@dataclass(frozen=True, slots=True)
class RegimeSummary:
    """All plays under one regime with one budget; only these can be compared."""

    regime: str
    step_budget: int
    plays: int
    failed: int
    agents: tuple[AgentSummary, ...]
    """The best one first."""
    games: tuple[GameSummary, ...]
    without_maximum: tuple[str, ...]
    """Games that were finished, but whose maximum is unknown: they count nowhere in percents of points."""
    pairs: tuple[AgentPair, ...]
    parts: tuple[PartShare, ...]


def as_json(regimes: Iterable[RegimeSummary]) -> dict[str, Any]:
    """The object in `summary.json`."""
    bootstrap = {"draws": DRAWS, "seed": SEED, "confidence": CONFIDENCE, "clusters": "games"}
    return {"format": FORMAT, "bootstrap": bootstrap, "regimes": [asdict(regime) for regime in regimes]}
