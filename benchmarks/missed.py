"""What the rule-based player walks past: what one more action would have come to, along its own sessions.

Usage: python -m benchmarks.missed [STORY ...] [--steps N] [--seed N] [--states N] [--tell]

Plays each story by text alone, replays the session in an emulator of its own, and tries in the states that it
went through what it did not do: every plain way, and what the search for valid actions finds. Tells how many
rooms were one way off its path and never entered, and how many actions it never typed in any room would have
earned points there, or led to such a room. Two actions are the same if they share verb, prepositions and the
last word of each name. Split by the MD5 of the stories, as `benchmarks.behaviours`: a row for each even story
(`--tell`: and what was missed), totals of the odd ones. Prints Markdown.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks import per_story
from benchmarks.in_process import Regime, play
from folds.vocabulary.actions import DIRECTIONS, direction_of, normal
from lantern.evaluation.plan import PlannedGame
from lantern.play.story_files import story_path
from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import Played, SearchActions

HEAD = (
    "| stories | rooms | beside them | states | valid actions | never typed | earn points | lead on |",
    "| --- | --: | --: | --: | --: | --: | --: | --: |",
)
CANDIDATES, SECONDS = 400, 3.0
"""What one search for valid actions tries at most, and the safety net of its clock."""
PER_ROOM = 8
"""States of one room that are searched."""
_LINKS = frozenset("in into on onto with to at from under off about for through over behind out of".split())


@dataclass(frozen=True, slots=True)
class MissedActions:
    """Of one session."""

    game: PlannedGame
    rooms: int
    beside: int
    """Rooms that one way of those led to, and that were never entered."""
    states: int
    """Different states in which valid actions were searched."""
    valid: int
    """Different valid actions of all these states, ways left out."""
    untyped: int
    """Those of them that the session never typed, in whatever room."""
    earning: tuple[str, ...]
    """Those of these that earn points."""
    leading: tuple[str, ...]
    """Those that lead to a room that was never entered."""


def gist(action: str) -> str:
    """An action's verb, its prepositions, and the last word of each name: `put ball in box`."""
    verb, *words = normal(action).split() or [""]
    ends = (*(word in _LINKS for word in words[1:]), True)
    kept = (word for word, is_end in zip(words, ends, strict=False) if is_end or word in _LINKS)
    return " ".join((verb, *kept))


class SessionReplay:
    """A session's actions once more, with what else could have been done beside them."""

    def __init__(self, game: PlannedGame, seed: int, actions: Sequence[str]) -> None:
        self._game, self._emulator, self._actions = game, Game(story_path(game.path), seed), actions

    def missed(self, most: int) -> MissedActions:
        """What the session missed; `most`: states that are searched."""
        path = list(self._played())
        rooms, states = {played.room_id for played in path}, new_states(path)
        searched = set(states[:: -(-len(states) // most) or 1])
        beside, valid, earning, leading = set[str](), dict[str, str](), dict[str, str](), dict[str, str]()
        typed = set(map(gist, self._actions))
        for number, played in enumerate(self._played()):
            if number in states:
                entered = (each.room_id for _, each in self._tried(DIRECTIONS) if not each.done)
                beside.update(room for room in entered if room is not None and room not in rooms)
            if number not in searched:
                continue
            offered = self._emulator.search(SearchActions((), 0, CANDIDATES, SECONDS)).actions
            found = [action for action in offered if direction_of(action) is None]
            valid |= {gist(action): action for action in found}
            for action, after in self._tried(action for action in found if gist(action) not in typed):
                if (after.score or 0) > (played.score or 0):
                    earning.setdefault(gist(action), action)
                if not (after.done or after.room_id is None or after.room_id in rooms):
                    leading.setdefault(gist(action), action)
        return MissedActions(
            self._game, len(rooms), len(beside), len(searched), len(valid),
            len(valid.keys() - typed), tuple(earning.values()), tuple(leading.values()),
        )  # fmt: skip

    def _played(self) -> Iterator[Played]:
        """The result of each step, from the opening on."""
        yield self._emulator.begin()
        yield from map(self._emulator.play, self._actions)

    def _tried(self, actions: Iterable[str]) -> Iterator[tuple[str, Played]]:
        """The result of each action in the present state, which is restored."""
        saved = self._emulator.save()
        for action in actions:
            yield action, self._emulator.play(action)
            self._emulator.load(saved)
        self._emulator.load(saved)


def new_states(path: Iterable[Played]) -> list[int]:
    """The steps at which rooms were in states that they had not been in, a few of each room."""
    seen, of_room, found = set[tuple[str | None, str]](), Counter[str | None](), list[int]()
    for number, played in enumerate(path):
        state = played.room_id, played.world
        if not played.done and state not in seen and of_room[played.room_id] < PER_ROOM:
            seen.add(state)
            of_room[played.room_id] += 1
            found.append(number)
    return found


def missed_by(actions: Sequence[str], game: PlannedGame, seed: int, states: int) -> MissedActions:
    """What a session missed; in a process that does so once: the emulator keeps everything in globals."""
    return SessionReplay(game, seed, actions).missed(states)


def measured(game: PlannedGame, given: argparse.Namespace) -> MissedActions:
    """Play a story, and tell what its session missed."""
    session = play(game, given.seed, Regime(given.steps))
    return missed_by(session.actions, game, given.seed, given.states)


def rows(measured: Sequence[MissedActions], *, tells: bool) -> Iterator[str]:
    """A row for each even story, and the mean of each split."""

    def told(each: MissedActions) -> str:
        is_told = tells and (each.earning or each.leading)
        line = f"| {', '.join(each.earning)}; {', '.join(each.leading)} | | | | | | | |"
        return line if is_told else ""

    return per_story.rows(measured, row, told, ", mean")


def row(name: str, part: Sequence[MissedActions]) -> str:
    """The means of some sessions."""
    counts = ((m.rooms, m.beside, m.states, m.valid, m.untyped, len(m.earning), len(m.leading)) for m in part)
    means = (sum(column) / len(part) for column in zip(*counts, strict=True))
    return f"| {name} | {' | '.join(f'{mean:.1f}' for mean in means)} |"


def main() -> None:
    known = per_story.parser_of(__doc__ or "", steps=1_000, tells="what was missed in even stories")
    known.add_argument("--states", type=int, default=60)
    per_story.print_table(known.parse_args(), measured, HEAD, rows)


if __name__ == "__main__":
    main()
