"""What the rule-based player earns without NATS, and what each of its behaviours adds.

Usage: python -m benchmarks.behaviours [STORY ...] [--steps N] [--seeds 1,2,3] [--all] [--search N]
           [--ablate [NAMES]]

Without a story: every story beside the repository (`../shared/games`), else the bundled game. Prints
Markdown. Stories are split by the MD5 of their files. The even ones were looked at while the player was
made, and have a row each; of the odd ones only totals are printed. `--all` plays with every handicap,
`--text-only` (the default) with none, `--search N` with a search of N probes before each session, as
`lantern play --policy search` makes it. `--ablate` plays all again without each behaviour, or without those
that follow it (with commas). The critic takes part unless `--no-critic` or `--search` is given. The two last
columns are runs of steps: without a text that is new in the session, and without such a text, a point, or an
action that was untried in its room.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks.ablation import Shares, added, even_and_odd, head_of
from benchmarks.in_process import PlayedSession, Regime, play
from benchmarks.mesh import machine
from lantern.evaluation.plan import PlannedGame
from lantern.evaluation.planning.games import games_named
from mesh.errors import InputError
from mesh.log import log_to_file
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.policies import PolicyName, checked_behaviours

BESIDE = Path(__file__).parents[2] / "shared" / "games"
HEAD = (
    "| stories | points, % | last, % | any, % | a decision, ms | longest without a new text | or a try |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)
Sessions = Sequence[PlayedSession]


def stories_given(names: Sequence[str]) -> list[PlannedGame]:
    """The stories of these names, without those that have a fault; no name: all beside the repository, else
    the bundled one. A name that is of no story ends the command."""
    beside = [str(BESIDE)] if BESIDE.is_dir() else ["bundled"]
    try:
        games = games_named(names or beside)
    except InputError as error:
        raise SystemExit(str(error)) from None
    return [game for game in games if not game.fault]


def seeds_in(text: str) -> tuple[int, ...]:
    """The seeds of a command line: `1,2,3`."""
    return tuple(map(int, text.split(",")))


def played(
    games: Iterable[PlannedGame], seeds: Sequence[int], regime: Regime, pool: ProcessPoolExecutor
) -> Sessions:
    """Each story with each seed."""
    pairs = list(product(games, seeds))
    return list(pool.map(partial(_played, regime=regime), pairs))


def _played(pair: tuple[PlannedGame, int], regime: Regime) -> PlayedSession:
    with tempfile.TemporaryDirectory() as directory, log_to_file(Path(directory) / "log"):
        return play(*pair, regime)


def rows(sessions: Sessions) -> Iterator[str]:
    """A row for each even story, and one for each split."""
    even, odd = even_and_odd(sessions, lambda session: session.game.md5)
    for name in dict.fromkeys(session.game.name for session in even):
        yield row(name, [session for session in even if session.game.name == name])
    for name, part in (("even", even), ("odd", odd), ("all", sessions)):
        if part:
            yield row(f"**{name}** ({len({session.game.md5 for session in part})})", part)


def row(name: str, sessions: Sessions) -> str:
    """What some sessions have come to: means, and the longest of all runs."""
    points = fmean(session.share for session in sessions)
    last = fmean(session.last_share for session in sessions)
    any_point = 100 * fmean(session.has_points for session in sessions)
    milliseconds = fmean(session.milliseconds for session in sessions)
    longest = max(session.longest for session in sessions)
    idle = max(session.idle for session in sessions)
    return (
        f"| {name} | {points:.2f} | {last:.2f} | {any_point:.0f} | {milliseconds:.1f} | {longest} | {idle} |"
    )


def shares(sessions: Sessions) -> Shares:
    """Percent of the points, by story and seed."""
    return {(each.game.md5, each.seed): each.share for each in sessions}


def measure(games: Sequence[PlannedGame], given: argparse.Namespace) -> None:
    """Play, and print tables."""
    regime = Regime(
        given.steps, text_only=not given.all, critic=given.critic, without=given.without, probes=given.search
    )
    print(f"{described(given)}; {machine()}\n")
    with ProcessPoolExecutor(given.jobs) as pool:
        full = played(games, given.seeds, regime, pool)
        print("\n".join((*HEAD, *rows(full))), flush=True)
        if given.ablate:
            print("\n".join(("\nWhat each behaviour adds:\n", *head_of("behaviour"))), flush=True)
        for name in given.ablate:
            without = played(games, given.seeds, regime.lacking(name), pool)
            print(added(name, shares(full), shares(without)), flush=True)


def described(given: argparse.Namespace) -> str:
    """How the sessions are played."""
    seeds = ", ".join(map(str, given.seeds))
    without = f", without {', '.join(given.without)}" if given.without else ""
    helps = "every handicap" if given.all else "text only"
    helps += f", {given.search:,} probes before each session" * bool(given.search)
    return f"{given.steps} steps, seeds {seeds}, {helps}, {'with' if given.critic else 'no'} critic{without}"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    known = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known.add_argument("stories", nargs="*", metavar="STORY")
    known.add_argument("--steps", type=int, default=1_000)
    known.add_argument("--seeds", type=seeds_in, default=(1, 2, 3))
    known.add_argument("--jobs", type=int, default=os.cpu_count())
    known.add_argument("--no-critic", dest="critic", action="store_false")
    known.add_argument("--without", type=_names, default=(), metavar="NAMES")
    known.add_argument("--ablate", type=_names, nargs="?", const=BEHAVIOUR_NAMES, default=(), metavar="NAMES")
    known.add_argument("--search", type=int, default=0, metavar="N", help="probes before each session")
    regime = known.add_mutually_exclusive_group()
    regime.add_argument("--text-only", action="store_true", help="the default")
    regime.add_argument("--all", action="store_true")
    return known


def main() -> None:
    given = parser().parse_args()
    given.critic = given.critic and not given.search  # which the policy `search` plays without
    measure(stories_given(given.stories), given)


def _names(text: str) -> tuple[str, ...]:
    try:
        return checked_behaviours(PolicyName.HEURISTIC, text.split(","))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    main()
