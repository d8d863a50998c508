"""How far a run is: its plays by agent, its speed, and the time that is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.results import PlayResult, PlayState

WINDOW = 30.0
"""Seconds over which the speed is measured."""


@dataclass(frozen=True, slots=True)
class AgentTally:
    """The plays of one agent that have ended."""

    agent: str
    planned: int
    done: int
    failed: int
    percent: float | None
    """Mean of the highest scores, see `percent_gained`. None: unknown."""
    scoring: int
    """Games in which it has gained any point."""
    games: int
    """Games of which a play has been finished."""
    steps: int
    usd: float


@dataclass(slots=True)
class Tally:
    """Counts what a run's workers report. Times are in seconds, by any one clock."""

    plays: Sequence[PlannedPlay]
    results: list[PlayResult] = field(default_factory=list)
    _under_way: dict[str, int] = field(default_factory=dict)
    """Steps by play."""
    _played: int = 0
    """Steps of plays that have ended since the beginning."""
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    def note_steps(self, play: str, steps: int, now: float) -> None:
        """A play that is under way has so many steps."""
        self._under_way[play] = steps
        self._sample(now)

    def note_result(self, result: PlayResult, now: float) -> None:
        """A play has ended."""
        self.results.append(result)
        self._under_way.pop(result.play, None)
        self._played += result.steps
        self._sample(now)

    def _sample(self, now: float) -> None:
        self._samples.append((now, self._played + sum(self._under_way.values())))
        while len(self._samples) > 2 and self._samples[0][0] < now - WINDOW:
            self._samples.popleft()

    @property
    def rate(self) -> float:
        """Steps per second of all plays together, lately."""
        if len(self._samples) < 2:
            return 0.0
        (first, before), (last, after) = self._samples[0], self._samples[-1]
        return max(after - before, 0) / (last - first) if last > first else 0.0

    @property
    def seconds_left(self) -> float | None:
        """If every play takes its whole budget of steps. None: unknown."""
        done = {result.play for result in self.results}
        budget = sum(play.regime.steps for play in self.plays if play.key not in done)
        left = budget - sum(self._under_way.values())
        return left / self.rate if self.rate > 0 else None

    def agents(self) -> Iterator[AgentTally]:
        """Each agent in the plan's order."""
        for name in dict.fromkeys(play.agent.name for play in self.plays):
            of = [result for result in self.results if result.agent == name]
            finished = [result for result in of if result.state is PlayState.FINISHED]
            gained = [(result.story_md5, result.percent_of(result.best_score)) for result in finished]
            known = [percent for _, percent in gained if percent is not None]
            yield AgentTally(
                agent=name,
                planned=sum(play.agent.name == name for play in self.plays),
                done=len(of),
                failed=len(of) - len(finished),
                percent=fmean(known) if known else None,
                scoring=len({story for story, percent in gained if percent and percent > 0}),
                games=len({story for story, _ in gained}),
                steps=sum(result.steps for result in of),
                usd=sum(result.usd for result in of),
            )
