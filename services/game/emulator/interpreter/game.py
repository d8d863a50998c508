"""One game in the child: the result of each action, and what is known about the world after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from schemas.sources import TextKind
from search.valid_actions.action_search import ActionSearch, SearchedBefore
from services.game import actions
from services.game.actions import LanternCommand
from services.game.emulator.interpreter.scene import ObservedScene, SceneMemory, SceneTracker
from services.game.emulator.interpreter.status_line import status_line_of
from services.game.emulator.protocol import ActionsFound, ObservedObject, Played, SearchActions
from zmachine.emulator.frotz import Frotz, MachineState
from zmachine.emulator.input_line import cleaned
from zmachine.emulator.keys import into_the_story, past_pauses
from zmachine.emulator.probes import player_by_probing
from zmachine.emulator.readers import (
    KnownStory,
    Reader,
    Reading,
    ScoreKnowledge,
    SourcedValue,
    is_well_known,
)
from zmachine.emulator.unknown_story import UnknownStory
from zmachine.reading.sources import ValueSources, known
from zmachine.reading.surroundings import Item
from zmachine.story_tables import StoryTables, tables_of

_TELLING = 80
"""Characters of an opening by which it is known when it follows a question, whatever the memory is."""


@dataclass(frozen=True, slots=True)
class Position:
    """A moment of a game that can be returned to: plain data, all that decides how it goes on."""

    state: MachineState
    memory: SceneMemory
    scoring: ScoreKnowledge
    last: Played


@dataclass(frozen=True, slots=True)
class SavedGame:
    """Everything that decides how a game goes on; a snapshot holds this and nothing else."""

    now: Position
    saved: Position | None
    """What `restore` returns to."""
    before: Position | None
    """What `undo` returns to."""
    world: str
    """The last world's hash."""


class Game:
    """A story under the emulator. Its state is the present position, the one saved, and the one before."""

    def __init__(
        self, path: Path, seed: int, *, generic: bool = False, clock: Callable[[], float] = lambda: 0.0
    ) -> None:
        """`generic`: read the story as if Jericho did not know it. `clock`: seconds, for the search."""
        self.story = path.read_bytes()
        self._frotz = Frotz(path, self.story, seed)
        self._opening_text = into_the_story(self._frotz)
        self._opening = self._frotz.state()
        self._tables = tables_of(self._frotz.story())
        self.known = not generic and is_well_known(self._frotz)
        self._reader: Reader
        if self.known:
            self._reader, self._initial_memory = KnownStory(self._frotz, self._tables.layout), SceneMemory()
        else:
            found = player_by_probing(self._frotz, self._tables, self._opening_text)
            self._reader = UnknownStory(self._frotz, self._tables, found)
            self._initial_memory = SceneMemory(player=found, searches=1)
        self._initial_scoring = self._reader.scoring
        self._search = ActionSearch(self._frotz, self._reader, self._tables, clock)
        self._saved: Position | None = None
        self._before: Position | None = None
        self._opening_observation = self.begin().observation

    @property
    def max_score(self) -> SourcedValue:
        """The maximum score, if it is known by now."""
        return self._reader.scoring.max_score

    @property
    def has_status_line(self) -> bool:
        """Whether a human sees a status line now."""
        return self._last.status_line is not None

    def begin(self) -> Played:
        """The opening, as if nothing had been played before."""
        self._reader.scoring = self._initial_scoring
        self._tracker = SceneTracker(self._frotz, self._tables, self._reader.player, self._initial_memory)
        self._world = ""
        self._saved = None
        return self._restarted()

    def play(self, action: str) -> Played:
        """Execute an action. If the game is over, any action begins the next episode."""
        typed = cleaned(action)
        own = LanternCommand.RESTART if self._last.done else actions.lantern_command_in(typed)
        if own:
            return self._execute_command(own)
        refusal = actions.refusal(typed, self._tables.dictionary.length)
        return self.stay(refusal) if refusal else self._executed(typed)

    def stay(self, observation: str) -> Played:
        """Execute no action; return the present world with an observation of Lantern's own."""
        return self._report_lantern(observation, self._last)

    def search(self, request: SearchActions) -> ActionsFound:
        """Search for valid actions; a game that is over has none."""
        if self._last.done:
            return ActionsFound((), 0, complete=True)
        before = SearchedBefore(request.known, request.tried)
        player, room = self._tracker.place()
        found = self._search.explore(player, room, request.limit, before, request.seconds)
        return ActionsFound(found.actions, found.tried, found.complete, found.cut)

    def save(self) -> SavedGame:
        """Where the game is now."""
        return SavedGame(self._position(), self._saved, self._before, self._world)

    def load(self, saved: SavedGame) -> Played:
        """Restore a saved game of this story; returns its last answer."""
        self._go_to(saved.now)
        self._saved, self._before, self._world = saved.saved, saved.before, saved.world
        self._last = saved.now.last
        return self._last

    def _execute_command(self, word: LanternCommand) -> Played:
        match word:
            case LanternCommand.RESTART:
                return self._restarted()
            case LanternCommand.SAVE:
                self._saved = self._position()
                return self.stay(actions.SAVED)
            case LanternCommand.RESTORE:
                return self._returned(self._saved, actions.RESTORED, actions.NOT_SAVED)
            case LanternCommand.UNDO:
                return self._returned(self._before, actions.TAKEN_BACK, actions.NOT_TAKEN_BACK)
            case LanternCommand.QUIT:
                return self._report_lantern(actions.LEFT, replace(self._last, done=True, victory=False))
            case _:
                assert_never(word)

    def _position(self) -> Position:
        return Position(self._frotz.state(), self._tracker.memory, self._reader.scoring, self._last)

    def _returned(self, position: Position | None, message: str, otherwise: str) -> Played:
        """Return to a position; `undo` then has nothing to take back."""
        if position is None:
            return self.stay(otherwise)
        self._go_to(position)
        self._before = None
        return self._report_lantern(message, position.last)

    def _go_to(self, position: Position) -> None:
        self._frotz.restore(position.state)
        self._tracker.memory, self._reader.scoring = position.memory, position.scoring

    def _executed(self, action: str) -> Played:
        before = self._position()
        text = past_pauses(self._frotz, self._frotz.step(action))
        reading = self._reader.read(text, closely=False)
        fault = self._fault(reading, action)
        if fault:
            self._frotz.restore(before.state)
            return self.stay(fault)
        begins = self._has_begun_anew(reading)
        self._before = None if begins else before
        return self._report(self._reader.read(text) if self._reader.asks else reading, begins=begins)

    def _has_begun_anew(self, reading: Reading) -> bool:
        """Whether the story itself has gone back to its opening, as it may when asked for another game."""
        opening = self._opening_observation
        if not opening or not reading.observation.endswith(opening):
            return False
        now = self._frotz.state()
        is_as_it_was = (now.ram, now.registers) == (self._opening.ram, self._opening.registers)
        return is_as_it_was or (len(opening) >= _TELLING and self._last.kind is TextKind.QUESTION)

    def _fault(self, reading: Reading, action: str) -> str:
        """Why an action has to be taken back; empty: it need not."""
        if reading.done:
            return ""
        if self._frotz.halted():
            return actions.FAULTY
        is_silent = not reading.observation and not actions.is_reply(action)
        return actions.UNDONE if self._frotz.awaits_key() or is_silent else ""

    def _restarted(self) -> Played:
        self._frotz.restore(self._opening)
        self._before = None
        return self._report(self._reader.read(self._opening_text), begins=True)

    def _report(self, reading: Reading, *, begins: bool = False) -> Played:
        """The result of an action: the reading, and the world as it is now."""
        scene = self._tracker.scene(reading.observation, reading.place)
        world = self._reader.world()
        most = self.max_score
        self._last = Played(
            observation=reading.observation,
            room_id=scene.room.id if scene.room else None,
            room_name=scene.room.name if scene.room else None,
            inventory=things(scene.held, self._tables),
            objects=things(scene.seen, self._tables),
            score=reading.score,
            max_score=most.value,
            moves=reading.moves,
            world=world,
            changed=world != self._world,
            done=reading.done,
            victory=reading.victory,
            kind=reading.kind,
            begins=begins,
            gained=reading.gained,
            sources=sources_of(reading, scene, most),
            status_line=status_line_of(self._frotz, self._tables, reading.line, self._reader.fraction),
        )
        self._world = world
        return self._last

    def _report_lantern(self, observation: str, at: Played) -> Played:
        """A result with Lantern's own text: the values of an earlier result, unchanged."""
        self._last = replace(
            at,
            observation=observation,
            changed=at.world != self._world,
            kind=TextKind.LANTERN,
            begins=False,
            gained=0,
        )
        self._world = at.world
        return self._last


def sources_of(reading: Reading, scene: ObservedScene, most: SourcedValue) -> ValueSources:
    """The source of each value."""
    return ValueSources(
        room=scene.room_source,
        inventory=known(scene.held, scene.things_source),
        objects=known(scene.seen, scene.things_source),
        score=known(reading.score, reading.score_source),
        max_score=known(most.value, most.source),
        moves=known(reading.moves, reading.moves_source),
        done=reading.end_source,
        victory=reading.end_source,
    )


def things(items: tuple[Item, ...] | None, tables: StoryTables) -> tuple[ObservedObject, ...] | None:
    if items is None:
        return None
    return tuple(
        ObservedObject(item.number, item.name, item.container, tables.other_words(item.number, item.name))
        for item in items
    )
