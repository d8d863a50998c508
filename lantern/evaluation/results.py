"""What one play of an evaluation came to, and the file that holds the plays of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from mesh.errors import InputError

RESULTS = "results.jsonl"
"""The name of the file in the directory of a run."""


class PlayState(StrEnum):
    """How a play ended."""

    FINISHED = "finished"
    FAILED = "failed"


class PlayResult(BaseModel):
    """One play: a line of `results.jsonl`. Scores are in the story's points; None: unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    play: str
    """16 hexadecimal digits: the same for the same story, agent, seeds and regime."""
    session: str
    cell: str
    state: PlayState
    failure: str = ""
    """Why it failed, in one line."""

    game: str
    story_md5: str
    agent: str
    """The agent's label in the plan."""
    policy: str
    model: str | None = None
    outside: str | None = None
    """The agent from outside: a command, or `path.py:Class`."""
    budget_usd: float | None = None
    """What the plan lets one play cost. None: as usual."""
    clues: str | None = None
    """The directory with the clues that the agent was told."""
    experience: bool = False
    """Whether the agent had the experience of its plays with earlier seeds."""
    without: tuple[str, ...] = ()
    without_behaviours: tuple[str, ...] = ()
    replaced: Mapping[str, str] = {}
    """By service, the class of the user's that served in its place (`path.py:Class`)."""
    settings: Mapping[str, str] = {}
    """The settings (environment variables) that the plan gives the agent."""
    regime: str
    """The preset's name, or `custom`."""
    step_budget: NonNegativeInt
    emulator_seed: int
    agent_seed: int
    handicaps: tuple[str, ...] = ()

    steps: NonNegativeInt = 0
    episodes: NonNegativeInt = 0
    deaths: NonNegativeInt = 0
    victories: NonNegativeInt = 0
    opening_score: int | None = None
    """Points that the story gives before the first action."""
    final_score: int | None = None
    best_score: int | None = None
    """The highest score of all episodes."""
    max_score: int | None = None
    score_changes: tuple[tuple[int, int], ...] = ()
    """Each step at which the score changed (step 0: the opening), and the score from then on."""
    episode_ends: tuple[int, ...] = ()
    """The last step of each episode that ended."""

    progress: float | None = None
    """The share of the story by the user's checkpoints. None: there are none."""
    tokens: NonNegativeInt = 0
    usd: float = 0.0
    seconds: float = 0.0
    degraded_steps: NonNegativeInt = 0
    search_cut: NonNegativeInt = 0
    versions: Mapping[str, str] = {}
    """By part (`lantern`, `jericho`), its version."""
    prompt_hash: str = ""
    """Of the prompts' fixed parts; empty: no model was asked."""

    def percent_of(self, points: float | None) -> float | None:
        """Points of the story in percent of what is to be gained, see `percent_gained`."""
        return percent_gained(points, self.opening_score or 0, self.max_score)


def percent_gained(points: float | None, opening: int, most: int | None) -> float | None:
    """Points in percent of what is to be gained: 0 is the opening's score; None: unknown.

    At most 100: where a fault of a story gives points again and again, its maximum counts.
    """
    if points is None or most is None or most <= opening:
        return None
    return min(100.0, 100 * (points - opening) / (most - opening))


class ResultsDamaged(InputError):
    """A line of a results file cannot be read."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(
            f"{path}, line {line}: this is no result of a play ({why}). "
            "Remove the line; --resume plays it again."
        )


def read_results(directory: Path) -> list[PlayResult]:
    """The plays of a run that are done, in the order in which they ended.

    Raises:
        InputError: there is no results file, or it is damaged.
    """
    path = directory / RESULTS
    try:
        lines = path.read_text().removesuffix("\n").split("\n")  # a text may hold other breaks of lines
    except (OSError, UnicodeError) as error:
        why = f"{path} cannot be read ({getattr(error, 'strerror', None) or error})."
        raise InputError(f"{why} Name the directory of an evaluation.") from error
    return list(_parsed(path, lines if lines != [""] else []))


def _parsed(path: Path, lines: Iterable[str]) -> Iterator[PlayResult]:
    for number, line in enumerate(lines, start=1):
        try:
            yield PlayResult.model_validate_json(line)
        except ValidationError as error:
            raise ResultsDamaged(path, number, error.errors()[0]["msg"]) from error
