"""What the rule-based player knows of what it sees by text alone, beside what the game says is visible.

Usage: python -m benchmarks.perception [STORY ...] [--steps N] [--seed N] [--tell]

Plays each story by text alone. At each step each visible thing that is not in hand counts once: the player
knows one of its words; or does not know it though its last word stands in a text of the room; or it is
named in none. A reading that hides things shows here and in no transcript, for what is not known is not
typed. It is split by the MD5 of the stories, as `benchmarks.behaviours`: a row for each even story
(`--tell`: and what was not known of what was named), sums of the odd ones. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from benchmarks.ablation import even_and_odd
from benchmarks.behaviours import stories_given
from benchmarks.in_process import Regime, steps_of
from benchmarks.mesh import machine
from folds.text.rooms import room_of
from folds.vocabulary.words import words_of
from lantern.evaluation.plan import PlannedGame
from lantern.play.search.rule_player import RulePlayer
from schemas.game import StepTaken
from services.actor.heuristic.option_context import context_of
from services.actor.heuristic.weights import DEFAULT_WEIGHTS

HEAD = (
    "| stories | visible things | known, % | named, not known, % | named nowhere, % |",
    f"| --- |{' --: |' * 4}",
)
TOLD = 12
"""Things not known that are told of a story."""


@dataclass(slots=True)
class PerceivedThings:
    """Of one session: visible things, each counted at each step."""

    game: PlannedGame
    visible: int = 0
    known: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    """By name, those that a text of the room has named, and that the player does not know."""

    def note(self, step: StepTaken, known: frozenset[str], told: frozenset[str]) -> None:
        """Count the things of a step; the words that the player knows, and those of the room's texts."""
        for thing in step.objects or ():
            words = words_of(thing.name)
            self.visible += 1
            self.known += not known.isdisjoint(words)
            self.unread[thing.name] += known.isdisjoint(words) and words[-1:] != () and words[-1] in told


def measured(game: PlannedGame, given: argparse.Namespace) -> PerceivedThings:
    """Play a story; in a process of its own: the emulator keeps everything in globals."""
    return asyncio.run(_measured(game, given))


async def _measured(game: PlannedGame, given: argparse.Namespace) -> PerceivedThings:
    found, told = PerceivedThings(game), defaultdict[str, set[str]](set)
    async for step, player in steps_of(game, given.seed, Regime(given.steps)):
        told[room_of(step)].update(words_of(step.observation))
        found.note(step, known_by(player), frozenset(told[room_of(step)]))
    return found


def known_by(player: RulePlayer) -> frozenset[str]:
    """The words of the things that the player believes to be here, or in hand."""
    step, experience = player.situation.step, player.situation.experience
    context = context_of(step, experience, DEFAULT_WEIGHTS, {})
    names = (*context.scope, *experience.mentions.nouns_of(context.room), *context.nouns)
    return frozenset(word for name in names for word in words_of(name)) | experience.belongings.words


def rows(measured: Sequence[PerceivedThings], *, tells: bool) -> Iterator[str]:
    """A row for each even story, and the sum of each split."""
    even, odd = even_and_odd(measured, lambda each: each.game.md5)
    for each in even:
        yield row(each.game.name, [each])
        if tells and +each.unread:
            yield f"| {', '.join(name for name, _ in each.unread.most_common(TOLD))} | | | | |"
    for name, part in (("even", even), ("odd", odd), ("all", measured)):
        if part:
            yield row(f"**{name}** ({len(part)})", part)


def row(name: str, part: Sequence[PerceivedThings]) -> str:
    """The shares of some sessions' things."""
    visible, known = sum(each.visible for each in part), sum(each.known for each in part)
    unread = sum(each.unread.total() for each in part)
    shares = (100 * count / max(1, visible) for count in (known, unread, visible - known - unread))
    return f"| {name} | {visible} | {' | '.join(f'{share:.1f}' for share in shares)} |"


def main() -> None:
    known = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known.add_argument("stories", nargs="*", metavar="STORY")
    known.add_argument("--steps", type=int, default=300)
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--tell", action="store_true", help="what was not known in even stories")
    known.add_argument("--jobs", type=int, default=None)
    given = known.parse_args()
    games = stories_given(given.stories)
    print(f"{given.steps} steps, seed {given.seed}, text only; {machine()}\n")
    with ProcessPoolExecutor(given.jobs, max_tasks_per_child=1) as pool:
        found = list(pool.map(partial(measured, given=given), games))
    print("\n".join((*HEAD, *rows(found, tells=given.tell))))


if __name__ == "__main__":
    main()
