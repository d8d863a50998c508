"""What a session came to, counted from its messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from lantern.play.models.model_counts import DegradedSteps, ModelCounts
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import NO_CRITIC, ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from schemas.lookahead import LookedAhead

SEARCH_CUT = (
    "search_cut: {} (the clock ended a search for valid actions; on another machine this session may differ)"
)
NO_FRAGMENT, NO_VERDICT = "no fragment in time", "no verdict in time"


_UNCOUNTED = {
    f".{Kind.FRAGMENT}.": (b'"degraded":""',),
    f".{Kind.PROPOSAL}.": (b'"degraded":""', b'"missing":[]'),
    f".{Kind.VERDICT}.": (b'"by":"critic"',),
}
"""By kind, what is in the bytes of a message of which nothing is counted (no text in it can look like that,
because its quotes would be escaped). Most messages are such, and decoding them would take seconds."""


def is_uncounted(subject: str, data: bytes) -> bool:
    """Whether a summary counts nothing of a message, so that it need not be decoded."""
    return any(kind in subject and all(part in data for part in parts) for kind, parts in _UNCOUNTED.items())


@dataclass(slots=True)
class Summary:
    """Counts of one session; `after` may be called with every message of its record, in order."""

    session: str
    cell: str = "main"
    started: SessionStarted | None = None
    last: StepTaken | None = None
    ended: SessionEnded | None = None
    best_score: int | None = None
    victories: int = 0
    degraded: DegradedSteps = field(default_factory=DegradedSteps)
    models: ModelCounts = field(default_factory=ModelCounts)
    first_time: datetime | None = None
    last_time: datetime | None = None
    durations: list[float] = field(default_factory=list)
    episode_ends: list[int] = field(default_factory=list)
    """The last step of each episode that ended."""
    search_cut: int = 0
    """Steps whose search for valid actions the clock or a failure ended."""
    probes: int = 0
    """Actions that were tried in an emulator beside the game."""

    def after(self, envelope: Envelope) -> Self:
        """Count one message."""
        match envelope.body:
            case SessionStarted() as started:
                self._begin(started, envelope.time)
            case StepTaken() as step:
                self._step(step, envelope.time)
            case ActionProposed() as proposal:
                self._proposal(proposal)
            case ActionJudged(step=number, by="game", reason=reason) if reason != NO_CRITIC:
                self.degraded.add("critic", NO_VERDICT, number)
            case FragmentGiven(step=number, degraded=reason) if reason:
                self.degraded.add(envelope.service.name, reason, number)
            case ModelAsked() as asked:
                self.models.add(envelope.service.name, asked)
            case LookedAhead(spent=probes):
                self.probes += probes
            case SessionEnded() as ended:
                self._end(ended)
            case _:
                pass
        return self

    def as_json(self) -> dict[str, Any]:
        """The object that `play --json` prints. Times are in seconds; None: unknown."""
        started, last = self.started, self.last
        return {
            "session": self.session,
            "game": started.game if started else None,
            "policy": started.policy if started else None,
            "agent": (started.agent or None) if started else None,
            "seed": started.seed if started else None,
            "steps": last.step if last else 0,
            "episodes": last.episode if last else 0,
            "score": self._score,
            "best_score": self.best_score,
            "max_score": self._max_score,
            "ended": self.ended.reason.value if self.ended else "running",
            "model": started.model.name if started and started.asks_models and started.model else None,
            "without": list(started.without) if started else [],
            "without_behaviours": list(started.without_behaviours) if started else [],
            "handicaps": [handicap.value for handicap in started.handicaps] if started else [],
            "probes": self.probes,
            "degraded_steps": self.degraded.count,
            "degraded": self.degraded.as_json(),
            "search_cut": self.search_cut,
            "models": self.models.as_json(),
            "seconds": round(self.seconds, 3),
            "seconds_per_step": {
                "p50": _quantile(self.durations, 0.5),
                "p99": _quantile(self.durations, 0.99),
            },
            **self._of_a_fork(),
        }

    def lines(self) -> list[str]:
        """What it did without, what models took, and what was degraded: for people, below the rest."""
        cut = [SEARCH_CUT.format(self.search_cut)] if self.search_cut else []
        ahead = [f"looked ahead: {self.probes:,} probes"] if self.probes else []
        return [*self._left_out(), *ahead, *self.models.lines(), *self.degraded.lines(), *cut]

    def _left_out(self) -> list[str]:
        """The services and the behaviours that it did without."""
        services = self.started.without if self.started else ()
        behaviours = self.started.without_behaviours if self.started else ()
        told = {"played without": services, "played without the behaviours": behaviours}
        return [f"{what}: {', '.join(names)}" for what, names in told.items() if names]

    def _of_a_fork(self) -> dict[str, Any]:
        """Where it comes from, and the seed of its policy; of any other session, nothing."""
        if self.started is None or not self.started.ancestors:
            return {}
        parent = self.started.ancestors[-1]
        return {
            "parent": parent.session,
            "parent_step": parent.step,
            "policy_seed": self.started.policy_seed or self.started.seed,
        }

    @property
    def seconds(self) -> float:
        """From the first message to the last step, without the pauses before a resume."""
        if self.first_time is None or self.last_time is None:
            return 0.0
        return (self.last_time - self.first_time).total_seconds()

    def _begin(self, started: SessionStarted, time: datetime) -> None:
        """What lies between the last step and a resume is no time of the session's."""
        if self.started is None and started.searched is not None:
            self.probes += started.searched.probes
        self.started, self.ended = started, None
        if started.resumed and self.first_time is not None and self.last_time is not None:
            self.first_time += time - self.last_time
            self.last_time = time

    @property
    def _score(self) -> int | None:
        told = self.last.score if self.last else None
        return self.ended.score if told is None and self.ended else told

    @property
    def _max_score(self) -> int | None:
        told = self.started.max_score if self.started else None
        return self.ended.max_score if told is None and self.ended else told

    def _end(self, ended: SessionEnded) -> None:
        """Where the steps do not tell the score (or were not all read), the end does."""
        self.ended = ended
        self.victories = max(self.victories, ended.victories)
        self._note_score(ended.best_score)

    def _note_score(self, score: int | None) -> None:
        if score is not None:
            self.best_score = max(score, self.best_score if self.best_score is not None else score)

    def _proposal(self, proposal: ActionProposed) -> None:
        for service in proposal.missing:
            self.degraded.add(service, NO_FRAGMENT, proposal.step)
        if proposal.degraded:
            self.degraded.add("actor", proposal.degraded, proposal.step)

    def _step(self, step: StepTaken, time: datetime) -> None:
        if self.last_time is not None and step.step > 0:
            self.durations.append((time - self.last_time).total_seconds())
        self.first_time = self.first_time or time
        self.last_time = time
        self.last = step
        self.victories += step.victory
        if step.done:
            self.episode_ends.append(step.step)
        self.search_cut += step.valid_actions is not None and step.valid_actions.cut
        self._note_score(step.score)


def _quantile(values: list[float], share: float) -> float | None:
    """The nearest-rank quantile, in seconds."""
    if not values:
        return None
    return round(sorted(values)[min(len(values) - 1, int(share * len(values)))], 6)
