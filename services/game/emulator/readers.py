"""Score, moves, end and hash of the story being played: Jericho's where it knows the story, else in general.

Where something cannot be known it is None, never a 0 that looks like knowledge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from services.game import texts
from services.game.emulator.frotz import Frotz
from services.game.object_table import Layout
from services.game.story_tables import StoryTables
from services.game.texts import Status
from services.game.world_hash import JERICHO, LARGE, SMALL, Entry, attribute_changes, hasher
from services.game.ztext import word

LOOKS = ("look", "inventory")
"""Actions that change nothing: attributes that change all the same are the parser's working marks."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a game's text and memory tell after an action."""

    observation: str
    score: int | None
    moves: int | None
    done: bool
    victory: bool


class Reader(Protocol):
    """Reads the story that the emulator is playing, at the moment of the call."""

    player: int | None
    """The number of the player's object; None: to be found by name."""
    max_score: int | None

    def read(self, text: str, *, closely: bool = True) -> Reading:
        """Not `closely`: without asking the game anything, for the search of valid actions."""

    def world(self) -> str:
        """The world's hash."""

    def surface(self) -> bytes:
        """Memory that differs wherever the world's hash does: cheaper to compare."""

    def score(self, text: str) -> int | None:
        """The score after this text, as far as it is told without asking; cheaper than `read`."""


class KnownStory:
    """A story that Jericho knows: its addresses of score, moves and end."""

    def __init__(self, frotz: Frotz, layout: Layout) -> None:
        self._frotz, self._layout = frotz, layout
        self.player: int | None = frotz.player()
        self.max_score = frotz.max_score() or None
        rows = len(frotz.clean_objects()) // JERICHO.size
        self._hasher = hasher(JERICHO, rows, working_marks(frotz, JERICHO, frotz.clean_objects))

    def read(self, text: str, *, closely: bool = True) -> Reading:
        observation, _ = texts.parted(text)
        scored = self.max_score is not None
        victory = self._frotz.won() or texts.won(text)
        return Reading(
            observation=observation,
            score=self._frotz.score() if scored else None,
            moves=self._frotz.moves(),
            done=victory or self._frotz.over() or texts.ended(text),
            victory=victory,
        )

    def world(self) -> str:
        return self._hasher.hash(self._frotz.clean_objects(), self._frotz.special_memory())

    def surface(self) -> bytes:
        return self._frotz.memory(self._layout.start, self._layout.length) + self._frotz.special_memory()

    def score(self, text: str) -> int | None:
        return self._frotz.score()


class UnknownStory:
    """Any other story: what its text and the Z-machine's rules tell."""

    player: int | None = None

    def __init__(self, frotz: Frotz, tables: StoryTables) -> None:
        self._frotz = frotz
        self._tables = tables
        entry = SMALL if tables.version <= 3 else LARGE
        self._hasher = hasher(entry, tables.layout.count, working_marks(frotz, entry, self._area))
        asked = self._asked()
        self._answers = asked.score is not None
        self.max_score = asked.max_score

    def _area(self) -> bytes:
        return self._frotz.memory(self._tables.layout.start, self._tables.layout.length)

    def world(self) -> str:
        return self._hasher.hash(self._area())

    def surface(self) -> bytes:
        return self._area()

    def score(self, text: str) -> int | None:
        return self._status(texts.parted(text)[1]).score

    def read(self, text: str, *, closely: bool = True) -> Reading:
        observation, line = texts.parted(text)
        done = texts.ended(text)
        status = self._status(line)
        if closely and self._answers and not done and (status.score is None or status.moves is None):
            status = filled(status, self._asked())
        return Reading(observation, status.score, status.moves, done, done and texts.won(text))

    def _status(self, line: str) -> Status:
        """By specification in versions 1 to 3 (section 8.2.2), else from the status line."""
        if self._tables.version <= 3 and not self._tables.time_game:
            variables = self._frotz.memory(self._tables.variables + 2, 4)
            return Status(int.from_bytes(variables[:2], "big", signed=True), word(variables, 2))
        return texts.status_in(line)

    def _asked(self) -> Status:
        """What the game answers to `score`; the question is taken back."""
        before = self._frotz.state()
        answer = self._frotz.step("score")
        self._frotz.restore(before)
        return texts.score_answer(texts.parted(answer)[0])


def filled(status: Status, more: Status) -> Status:
    return replace(
        status,
        score=more.score if status.score is None else status.score,
        moves=more.moves if status.moves is None else status.moves,
    )


def working_marks(frotz: Frotz, entry: Entry, area: Callable[[], bytes]) -> bytes:
    """The attributes that the parser itself sets while it looks around (Inform's `workflag`).

    Found by looking around at the opening; what `wait` changes too is the world's own doing.
    """
    before, state = area(), frotz.state()

    def changed(action: str) -> bytes:
        frotz.step(action)
        bits = attribute_changes(entry, before, area())
        frotz.restore(state)
        return bits

    waited = changed("wait")
    marks = bytes(len(waited))
    for action in LOOKS:
        marks = bytes(
            mark | bit & ~own for mark, bit, own in zip(marks, changed(action), waited, strict=True)
        )
    return marks
