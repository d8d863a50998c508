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
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from benchmarks import per_story
from benchmarks.in_process import Regime, turns_of
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

    def note(self, step: StepTaken, known: Set[str], told: Set[str]) -> None:
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
    async for turn in turns_of(game, given.seed, Regime(given.steps)):
        words = told[room_of(turn.before)]
        words.update(words_of(turn.before.observation))
        found.note(turn.before, known_by(turn.player), words)
    return found


def known_by(player: RulePlayer) -> frozenset[str]:
    """The words of the things that the player believes to be here, or in hand."""
    step, experience = player.situation.step, player.situation.experience
    context = context_of(step, experience, DEFAULT_WEIGHTS, {}, steps=0)
    names = (*context.scope, *experience.mentions.nouns_of(context.room), *context.nouns)
    return frozenset(word for name in names for word in words_of(name)) | experience.belongings.words


def rows(measured: Sequence[PerceivedThings], *, tells: bool) -> Iterator[str]:
    """A row for each even story, and the sum of each split."""

    def told(each: PerceivedThings) -> str:
        names = ", ".join(name for name, _ in each.unread.most_common(TOLD))
        return f"| {names} | | | | |" if tells and +each.unread else ""

    return per_story.rows(measured, row, told)


def row(name: str, part: Sequence[PerceivedThings]) -> str:
    """The shares of some sessions' things."""
    visible, known = sum(each.visible for each in part), sum(each.known for each in part)
    unread = sum(each.unread.total() for each in part)
    shares = (100 * count / max(1, visible) for count in (known, unread, visible - known - unread))
    return f"| {name} | {visible} | {' | '.join(f'{share:.1f}' for share in shares)} |"


def main() -> None:
    known = per_story.parser_of(__doc__ or "", steps=300, tells="what was not known in even stories")
    per_story.print_table(known.parse_args(), measured, HEAD, rows)


if __name__ == "__main__":
    main()
