"""The bare emulator that searches stand on: step, save, restore, the world's bytes, and what may be tried.

Every action that the emulator executes counts as a probe, whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zmachine.emulator.frotz import Frotz, MachineState
from zmachine.emulator.keys import into_the_story, past_pauses
from zmachine.emulator.probes import player_by_probing, room_in_globals
from zmachine.emulator.readers import KnownStory, Reader, is_well_known, told_score, usual_place
from zmachine.emulator.unknown_story import UnknownStory
from zmachine.object_table import Tree, tree_of
from zmachine.reading import scores, texts
from zmachine.reading.surroundings import room_in
from zmachine.story_file import VARIABLES
from zmachine.story_tables import tables_of

ENDING = "***"
Place = tuple[int, int]
"""The room's object, and what directly holds the player; 0 for what is not known."""
SHORT = 200
"""Characters below which a text is looked at closely: it may be empty but for the status line."""


class SearchStopped(Exception):
    """The search has spent its probes, or was asked to stop."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action has led to."""

    text: str
    score: int
    done: bool = False
    victory: bool = False
    refused: bool = False
    """The action was taken back, as in a session: a menu, a fault of the story, or no answer."""

    @property
    def lost(self) -> bool:
        """Whether the game is over, and not won."""
        return self.done and not self.victory

    @property
    def observation(self) -> str:
        """The text as a player reads it: without the prompt and the status line."""
        return texts.split_status_line(self.text)[0]


@dataclass(frozen=True, slots=True)
class SavedPosition:
    """A moment of the game that can be returned to."""

    state: MachineState
    score: int
    done: bool = False
    asks: bool = False
    """Whether the story reads the answer to a question of its own, no action."""


class CountedFrotz(Frotz):
    """Frotz that counts its steps, and may be stopped before each."""

    steps = 0
    under_way: str | None = None
    """The action that the game is executing."""
    check: Callable[[int], None] | None = None
    """Called with the number of steps before each; may raise SearchStopped."""

    def step(self, action: str) -> str:
        """What the game prints; one more probe is spent."""
        if self.check is not None:
            self.check(self.steps)
        self.steps += 1
        self.under_way = action
        try:
            return super().step(action)
        finally:
            self.under_way = None


class Environment:
    """One story in this process's emulator. There can be one in a process."""

    def __init__(self, path: Path, seed: int, check: Callable[[int], None] | None = None) -> None:
        """`seed`: of the emulator. `check`: called before each probe with the number of those before it."""
        self.frotz = CountedFrotz(path, path.read_bytes(), seed)
        text = into_the_story(self.frotz)
        self.tables = tables_of(self.frotz.story())
        self._usual_place = usual_place(self.frotz)
        self.reader, self.player, self._world = self._read(text)
        self.max_score: int | None = self.reader.scoring.max_score.value
        self._position: SavedPosition | None = SavedPosition(self.frotz.state(), self._score(text, 0))
        self.opening = Outcome(text, self._position.score)
        self._start = self._position
        self.frotz.check = check

    def _read(self, text: str) -> tuple[Reader, int, int | None]:
        """The story's reader, the player's object (0: unknown), and the object that holds the rooms."""
        if is_well_known(self.frotz):
            return KnownStory(self.frotz, self.tables.layout), self.frotz.player(), None
        found = player_by_probing(self.frotz, self.tables, text)
        reader = UnknownStory(self.frotz, self.tables, found)
        return reader, found.number if found else 0, found.world if found else None

    @property
    def probes(self) -> int:
        """Actions executed so far."""
        return self.frotz.steps

    def step(self, action: str) -> Outcome:
        """Execute an action: one line of printable ASCII, as a session would pass it on to the game."""
        before = self.save()
        text = past_pauses(self.frotz, self.frotz.step(action))
        asks = self.frotz.place() != self._usual_place
        done, victory = self._end(text, asks=asks)
        if not done and self._is_fault(text):
            self.restore(before)
            return Outcome(text, before.score, refused=True)
        score = self._score(text, before.score, done=done)
        self._position = SavedPosition(self.frotz.state(), score, done, asks)
        return Outcome(text, score, done, victory)

    def save(self) -> SavedPosition:
        """Where the game is now."""
        if self._position is None:
            raise RuntimeError("The emulator is between two positions: an action was cut off.")
        return self._position

    def restore(self, position: SavedPosition) -> None:
        """Return to a position of this story."""
        self.frotz.restore(position.state)
        self._position = position

    def restart(self) -> Outcome:
        """Return to the opening."""
        self.restore(self._start)
        return self.opening

    def world(self) -> str:
        """A hash that is equal where every object is in the same place and state."""
        return self.reader.world()

    def objects(self) -> bytes:
        """The entries of the object table: attributes and parents."""
        return self.frotz.memory(self.tables.layout.start, self.tables.layout.length)

    def variables(self) -> bytes:
        """The 240 global variables."""
        return self.frotz.memory(self.tables.variables, VARIABLES)

    def tree(self) -> Tree:
        """Who is in whom."""
        return tree_of(self.tables.layout, self.objects())

    def room(self) -> int:
        """The room's object; 0: not known."""
        return self.place()[0]

    def place(self) -> Place:
        """Where the player is."""
        around = self.tables.layout.ancestors(self.objects(), self.player)
        if self.tables.version <= 3:
            room = room_in_globals(self.frotz, self.tables)
        else:
            room = room_in(around, self.tables.names, self._world)
        return room or 0, next(iter(around), 0)

    def _score(self, text: str, before: int, *, done: bool = False) -> int:
        """Where the score cannot be read, the story is asked for it, which is one more probe; where it does
        not answer that even at its opening, the score is what its texts have announced."""
        score = self.reader.score(text)
        if score is not None:
            return score
        if not self.reader.scoring.answers:
            return before + scores.announced(text)
        told = scores.score_answer(text) if done else told_score(self.frotz)
        return before if told.score is None else told.score

    def _end(self, text: str, *, asks: bool) -> tuple[bool, bool]:
        """Whether the game is over, and won."""
        over = self.frotz.known and (self.frotz.over() or self.frotz.won())
        if over or ENDING in text or self.frotz.has_quit() or asks:
            reading = self.reader.read(text, closely=False)
            return reading.done, reading.victory
        return False, False

    def _is_fault(self, text: str) -> bool:
        """Whether a session would take the action back."""
        if self.frotz.halted() or self.frotz.awaits_key():
            return True
        return len(text) < SHORT and not texts.split_status_line(text)[0]
