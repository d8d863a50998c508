"""The interface of a story's reader, and the reader for stories that Jericho knows.

Where something cannot be known it is None with an unknown source, never a 0 that looks like knowledge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from schemas.sources import Source, TextKind
from zmachine.emulator.frotz import Frotz
from zmachine.emulator.probes import Probe, wanderers_in
from zmachine.object_table import Layout
from zmachine.reading import prompts, texts
from zmachine.reading.scores import Fraction, Status, score_answer
from zmachine.reading.sources import known
from zmachine.world_hash import JERICHO, LARGE, SMALL, ObjectEntry, attribute_changes, hasher

LOOKS = ("look", "inventory")
"""Actions that change nothing: attributes that change all the same are the parser's working marks."""
SILENT_END = "[The story has ended itself.]"


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value, and where it was read."""

    value: int | None = None
    source: Source = Source.UNKNOWN


@dataclass(frozen=True, slots=True)
class Reading:
    """What a game's text and memory say after an action."""

    observation: str
    score: int | None = None
    moves: int | None = None
    done: bool = False
    victory: bool = False
    kind: TextKind = TextKind.STORY
    gained: int = 0
    """Points that the text announces; they count where the score is not known."""
    place: str = ""
    """The room's name by the status line."""
    line: str = ""
    """The status line that the story itself has drawn."""
    score_source: Source = Source.UNKNOWN
    moves_source: Source = Source.UNKNOWN
    end_source: Source = Source.UNKNOWN


@dataclass(frozen=True, slots=True)
class ScoreKnowledge:
    """What a reader has learned about the score while the story was played."""

    answers: bool = False
    """Whether the game answers `score` with a score."""
    asked: int = 0
    latest: Status = field(default_factory=Status)
    """The latest answer."""
    announced: int | None = None
    """The sum of the points announced; None: none was."""
    max_score: SourcedValue = SourcedValue()


class Reader(Protocol):
    """Reads the story that the emulator is playing, at the moment of the call."""

    player: int | None
    """The number of the player's object; None: to be found."""
    scoring: ScoreKnowledge

    fraction: Fraction | None
    """What the two numbers of a status line like `Attic 3/12` mean, where that is known."""

    asks: ClassVar[bool]
    """Whether reading `closely` yields more."""

    def read(self, text: str, *, closely: bool = True) -> Reading:
        """Not `closely`: without asking the game anything, for the search of valid actions."""

    def world(self) -> str:
        """The world's hash."""

    def surface(self) -> bytes:
        """Memory that differs whenever the world's hash does; cheaper to compare."""

    def score(self, text: str) -> int | None:
        """The score after this text, if it is known without asking the game; cheaper than `read`."""


class KnownStory:
    """A story that Jericho knows: its addresses of score, moves and end."""

    asks: ClassVar[bool] = False
    fraction: Fraction | None = None

    def __init__(self, frotz: Frotz, layout: Layout) -> None:
        self._frotz, self._layout = frotz, layout
        self.player: int | None = frotz.player()
        most = frotz.max_score() or None
        self.scoring = ScoreKnowledge(max_score=SourcedValue(most, known(most, Source.JERICHO)))
        self._place = usual_place(frotz)
        rows = len(frotz.clean_objects()) // JERICHO.size
        self._hasher = hasher(JERICHO, rows, working_marks(frotz, JERICHO, frotz.clean_objects))
        self._hashed, self._hash = b"", ""
        self._rest = RestOfTheWorld(frotz, layout, rows - 1)

    def read(self, text: str, *, closely: bool = True) -> Reading:
        observation, line = texts.split_status_line(text)
        scored = self.scoring.max_score.value is not None
        over = self._frotz.won() or (self._frotz.over() and not self._frotz.halted())
        aside = self._frotz.place() != self._place
        done = over or prompts.ended(observation, aside=aside)
        victory = done and (self._frotz.won() or prompts.won(observation))
        return Reading(
            observation=observation or SILENT_END * self._frotz.has_quit(),
            score=self._frotz.score() if scored else None,
            moves=self._frotz.moves(),
            done=done,
            victory=victory,
            kind=TextKind.ENDED if done else prompts.kind_of(observation, aside=aside),
            place=texts.place_in_status(line),
            line=line,
            score_source=Source.JERICHO if scored else Source.UNKNOWN,
            moves_source=Source.JERICHO,
            end_source=Source.TEXT if done and not over else Source.JERICHO,
        )

    def world(self) -> str:
        surface = self.surface()
        if surface != self._hashed:
            self._hashed = surface
            more = self._frotz.special_memory() + self._rest.hash()
            self._hash = self._hasher.hash(self._frotz.clean_objects(), more)
        return self._hash

    def surface(self) -> bytes:
        return self._frotz.memory(self._layout.start, self._layout.length) + self._frotz.special_memory()

    def score(self, text: str) -> int | None:
        return self._frotz.score()


class RestOfTheWorld:
    """The objects behind the last that Jericho lists: it stops at 255 in some stories."""

    def __init__(self, frotz: Frotz, layout: Layout, listed: int) -> None:
        self._frotz, self._layout = frotz, layout
        self._first, self._rows = listed, max(0, layout.count - listed)
        if self._rows:
            entry = SMALL if layout.link_bytes == 1 else LARGE
            restless = wanderers_in(Probe(frotz, layout).waiting())
            marks = working_marks(frotz, entry, self._area)
            self._hasher = hasher(entry, self._rows, marks, {number - listed for number in restless})

    def _area(self) -> bytes:
        size = self._layout.size
        return self._frotz.memory(self._layout.start + self._first * size, self._rows * size)

    def hash(self) -> bytes:
        """Of their parents and attributes; empty: Jericho lists all objects."""
        return self._hasher.hash(self._area()).encode() if self._rows else b""


def is_well_known(frotz: Frotz) -> bool:
    """Whether Jericho knows a story, and reads the score at its opening as the story itself tells it."""
    if not frotz.known:
        return False
    return told_score(frotz).score in (None, frotz.score())


def told_score(frotz: Frotz) -> Status:
    """What the game answers to `score`; the question is taken back."""
    before = frotz.state()
    answer = score_answer(texts.split_status_line(frotz.step("score"))[0])
    frotz.restore(before)
    return answer


def usual_place(frotz: Frotz) -> tuple[int, ...]:
    """Where the story reads its player's actions: where it is after it was looked around."""
    before = frotz.state()
    frotz.step("look")
    place = frotz.place()
    frotz.restore(before)
    return place


def working_marks(frotz: Frotz, entry: ObjectEntry, area: Callable[[], bytes]) -> bytes:
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
