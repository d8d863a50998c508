"""The plays that a report is about: those of one or several runs, each counted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

from lantern.evaluation.results import PlayResult, PlayState, read_results
from mesh.errors import InputError

NOT_COMPARED = frozenset({"session", "cell", "seconds", "versions"})
"""What may differ between two plays that came to the same."""

SETUP = ("policy", "model", "outside", "budget_usd", "clues", "experience", "settings")
"""What makes an agent, beside the parts that it lacks or replaces."""

AGENT = (*SETUP, "without", "without_behaviours", "replaced")
"""What makes an agent, whatever its label."""


class Score(StrEnum):
    """Which score of a play counts."""

    BEST = "best"
    FINAL = "final"


class PlaysDiffer(InputError):
    """Two directories hold different results of the same play."""

    def __init__(self, one: PlayResult, here: Path, there: Path, fields: Sequence[str]) -> None:
        super().__init__(
            f"{here} and {there} hold different results ({', '.join(fields)}) of the same play: "
            f"{one.agent} on {one.game}, seeds {one.emulator_seed} and {one.agent_seed}. "
            "Report on them apart; `lantern evaluate compare` compares them."
        )


class NoPlays(InputError):
    """A run has no results yet."""

    def __init__(self, directories: Iterable[Path]) -> None:
        names = ", ".join(map(str, directories))
        super().__init__(f"No play of {names} has ended yet. Play on: `lantern evaluate --resume --out DIR`.")


class AgentsDiffer(InputError):
    """Two directories give one label to different agents."""

    def __init__(self, label: str, here: Path, there: Path, fields: Sequence[str]) -> None:
        where = f"in {here}" if here == there else f"in {here} and in {there}"
        super().__init__(
            f"The agent {label!r} is not the same {where}: {', '.join(fields)} differ. "
            "Report on them apart, or give one of them another label in its plan."
        )


def joined_plays(directories: Sequence[Path]) -> list[PlayResult]:
    """The plays of all directories; a play that several hold is counted once.

    Raises:
        InputError: there are no results, or two directories disagree on a play or on an agent.
    """
    plays: dict[str, tuple[PlayResult, Path]] = {}
    agents: dict[str, tuple[PlayResult, Path]] = {}
    for directory in directories:
        for play in read_results(directory):
            known, there = plays.setdefault(play.play, (play, directory))
            if differing := _differing_fields(play, known):
                raise PlaysDiffer(play, there, directory, differing)
            same, elsewhere = agents.setdefault(play.agent, (play, directory))
            if differing := [name for name in AGENT if getattr(play, name) != getattr(same, name)]:
                raise AgentsDiffer(play.agent, elsewhere, directory, differing)
    if not plays:
        raise NoPlays(directories)
    return [play for play, _ in plays.values()]


def _differing_fields(one: PlayResult, other: PlayResult) -> list[str]:
    compared = (name for name in PlayResult.model_fields if name not in NOT_COMPARED)
    return [name for name in compared if getattr(one, name) != getattr(other, name)]


def percent(play: PlayResult, by: Score) -> float | None:
    """The play's score in percent of what is to be gained, see `percent_gained`; None also: it failed."""
    points = play.best_score if by is Score.BEST else play.final_score
    return None if play.state is PlayState.FAILED else play.percent_of(points)


def percent_any_score(play: PlayResult) -> float | None:
    """100, if the play ever had more points than the opening gives, else 0; None: unknown, or it failed."""
    if play.best_score is None or play.state is PlayState.FAILED:
        return None
    return 100.0 * (play.best_score > (play.opening_score or 0))
