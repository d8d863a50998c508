"""Compares two runs, or two agents: which is better, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lantern.evaluation.report.averages import seeds_of
from lantern.evaluation.report.plays import Score, joined_plays, percent
from lantern.evaluation.report.statistics import (
    CONFIDENCE,
    DRAWS,
    FEW_GAMES,
    FEW_GAMES_NOTE,
    PairedDifference,
    paired_difference,
)
from lantern.evaluation.results import PlayResult, PlayState
from mesh.errors import InputError
from mesh.printable import counted, one_line
from mesh.suggestions import did_you_mean


class AgentUnknown(InputError):
    """A run has no agent of that label."""

    def __init__(self, agent: str, directory: Path, known: Sequence[str]) -> None:
        near = did_you_mean(agent, known)
        super().__init__(
            f"{directory} has no plays of the agent {agent!r}.{near} Its agents: {', '.join(sorted(known))}."
        )


class NothingInCommon(InputError):
    """Two runs share no play that both have finished with a known score."""

    def __init__(self, a: str, b: str, why: str) -> None:
        super().__init__(f"{a} and {b} have no plays in common to be compared: {why}.")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared."""

    name: str
    """As the user gave it."""
    plays: tuple[PlayResult, ...]

    @property
    def agents(self) -> set[str]:
        """The labels of its agents."""
        return {play.agent for play in self.plays}


@dataclass(frozen=True, slots=True)
class PlayComparison:
    """B minus A in percentage points of what is to be gained."""

    a: str
    b: str
    by: Score
    difference: PairedDifference
    games: dict[str, str]
    """By story (md5), the name of its file."""
    unpaired: tuple[int, int]
    """Plays of A and of B that the other has not played: they count nowhere."""
    failed: tuple[str, ...]
    """Sessions of plays that failed in B and not in A."""
    handicaps: tuple[tuple[str, ...], tuple[str, ...]]
    """Of A and of B."""

    def is_good_enough(self, at_least: float) -> bool:
        """Whether B scores at least so many points more than A, and no play failed that A finished."""
        return round(self.difference.difference, 9) >= at_least and not self.failed


def named_side(name: str) -> Side:
    """The plays of `DIR` or `DIR:AGENT`.

    Raises:
        InputError: there are no results, or no such agent.
    """
    directory, agent = _directory_and_agent(name)
    plays = joined_plays([directory])
    if agent is None:
        return Side(name, tuple(plays))
    if not (chosen := tuple(play for play in plays if play.agent == agent)):
        raise AgentUnknown(agent, directory, [*{play.agent for play in plays}])
    return Side(name, chosen)


def _directory_and_agent(name: str) -> tuple[Path, str | None]:
    """The parts of what the user named; directories and agents may both have colons in their names."""
    parts = name.split(":")
    splits = [(Path(":".join(parts[:i])), ":".join(parts[i:])) for i in range(1, len(parts))]
    if Path(name).is_dir() or not splits:
        return Path(name), None
    return next((split for split in splits if split[0].is_dir()), splits[-1])


def compare(a: Side, b: Side, by: Score = Score.BEST) -> PlayComparison:
    """Pair the plays of one game under one regime with the same seeds, and compare them.

    Two sides of one agent each are compared whatever the labels; else agents of the same label are.

    Raises:
        NothingInCommon: no play of one has a partner in the other.
    """
    labelled = len(a.agents) > 1 or len(b.agents) > 1
    if labelled and not a.agents & b.agents:
        raise NothingInCommon(a.name, b.name, "name one agent of each, as DIR:AGENT")
    ours, theirs = ({_key(play, labelled): play for play in side.plays} for side in (a, b))
    common = ours.keys() & theirs.keys()
    if not common:
        raise NothingInCommon(a.name, b.name, "no game was played by both with the same seeds and steps")
    points_a, points_b = (
        {key: points for key in common if (points := percent(side[key], by)) is not None}
        for side in (ours, theirs)
    )
    difference = paired_difference(points_a, points_b)
    if difference is None:
        raise NothingInCommon(a.name, b.name, "no score is known of a play that both have finished")
    return PlayComparison(
        a=a.name,
        b=b.name,
        by=by,
        difference=difference,
        games={ours[key].story_md5: ours[key].game for key in common},
        unpaired=(len(ours) - len(common), len(theirs) - len(common)),
        failed=tuple(sorted(theirs[key].session for key in common if _failed_only(theirs[key], ours[key]))),
        handicaps=(_handicaps(ours[key] for key in common), _handicaps(theirs[key] for key in common)),
    )


def as_json(comparison: PlayComparison, at_least: float) -> dict[str, Any]:
    """The object that `--json` prints."""
    found = comparison.difference
    return {
        "a": comparison.a,
        "b": comparison.b,
        "by": comparison.by.value,
        "difference": found.difference,
        "interval": found.interval and [found.interval.low, found.interval.high],
        "sure": found.sureness,
        "pairs": found.pairs,
        "games": [
            {"game": comparison.games[story], "story_md5": story, "difference": points}
            for story, points in found.by_game.items()
        ],
        "unpaired": comparison.unpaired,
        "handicaps": comparison.handicaps,
        "failed": comparison.failed,
        "at_least": at_least,
        "good_enough": comparison.is_good_enough(at_least),
    }


def lines_about(comparison: PlayComparison, at_least: float) -> Iterator[str]:
    """The comparison in words."""
    yield _outcome(comparison)
    yield from _games(comparison)
    if any(comparison.unpaired):
        only_a, only_b = comparison.unpaired
        yield f"Left out: {counted(only_a, 'play')} that B has not played, {only_b:,} that A has not played."
    a, b = comparison.handicaps
    if a != b:
        yield f"The handicaps differ: A has {', '.join(a) or 'none'}; B has {', '.join(b) or 'none'}."
    if 1 < len(comparison.difference.by_game) < FEW_GAMES:
        yield FEW_GAMES_NOTE
    if comparison.failed:
        names = ", ".join(comparison.failed)
        yield f"{counted(len(comparison.failed), 'play')} failed in B and not in A: {names}."
    reached = "reaches" if comparison.is_good_enough(at_least) else "does not reach"
    yield f"B {reached} the threshold: {at_least:g} points more than A, and no play failed that A finished."


def _outcome(comparison: PlayComparison) -> str:
    found = comparison.difference
    size = f"{counted(found.pairs, 'pair')} of plays, {counted(len(found.by_game), 'game')}"
    score = f"{comparison.by.value} score"
    if found.difference == 0:
        return f"Neither is better by the {score} ({size})."
    better, other = ("B", "A") if found.difference > 0 else ("A", "B")
    names = {"A": comparison.a, "B": comparison.b}
    said = (
        f"{better} ({one_line(names[better])}) is better than {other} ({one_line(names[other])}) by "
        f"{abs(found.difference):.2f} percentage points of the {score} ({size})."
    )
    if found.interval is None or found.sureness is None:
        return f"{said} One game does not say how sure that is."
    undecided = " The interval holds 0: these games do not decide it."
    return (
        f"{said} B minus A lies between {found.interval.low:+.2f} and {found.interval.high:+.2f} "
        f"({CONFIDENCE:g} % interval); {100 * found.sureness:.1f} % of {DRAWS:,} bootstrap draws agree."
        f"{undecided if found.interval.low <= 0 <= found.interval.high else ''}"
    )


def _games(comparison: PlayComparison) -> Iterator[str]:
    """A line for each game in which they differ, the largest loss of B first."""
    by_game = comparison.difference.by_game
    for points, name in sorted((points, comparison.games[story]) for story, points in by_game.items()):
        if points:
            yield f"  {points:+8.2f}  {one_line(name)}"
    if same := sum(points == 0 for points in by_game.values()):
        yield f"     same  {counted(same, 'game')}"


def _key(play: PlayResult, labelled: bool) -> tuple[str, object]:
    label = play.agent if labelled else ""
    return play.story_md5, (play.regime, play.step_budget, label, *seeds_of(play))


def _failed_only(play: PlayResult, other: PlayResult) -> bool:
    return play.state is PlayState.FAILED and other.state is not PlayState.FAILED


def _handicaps(plays: Iterable[PlayResult]) -> tuple[str, ...]:
    return tuple(sorted({handicap for play in plays for handicap in play.handicaps}))
