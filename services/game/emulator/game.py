"""One game as the child plays it: what each action comes to, and what is known of the world after it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from services.game import actions
from services.game.emulator.frotz import Frotz, State
from services.game.emulator.protocol import Find, Found, Played, Thing
from services.game.emulator.readers import KnownStory, Reader, Reading, UnknownStory
from services.game.emulator.scene import Onlooker, Recollection
from services.game.emulator.search import Search
from services.game.story_tables import tables_of
from services.game.surroundings import Item

KEYS = 6
"""Pressed at most to get past pauses ("[Please press SPACE]"); what still waits for a key is a menu."""
SPACE = " "


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that decides how a game goes on: what is not in here is forgotten by a snapshot."""

    state: State
    printed: Recollection
    world: str
    last: Played


class Game:
    """A story under the emulator. Its state is the emulator's, and the text printed so far."""

    def __init__(self, path: Path, seed: int) -> None:
        self.story = path.read_bytes()
        self._size = len(self.story)
        self._frotz = Frotz(path, self.story, seed)
        self._opening_text = self._past_pauses(self._frotz.opening_text)
        self._opening = self._frotz.state()
        self._tables = tables_of(self._frotz.memory(0, self._size))
        self._reader: Reader = (
            KnownStory(self._frotz, self._tables.layout)
            if self._frotz.known
            else UnknownStory(self._frotz, self._tables)
        )
        self._search = Search(self._frotz, self._reader, self._tables)
        self.known, self.max_score = self._frotz.known, self._reader.max_score
        self.begin()

    def begin(self) -> Played:
        """The opening, as if nothing had been played before."""
        self._onlooker = Onlooker(self._frotz, self._tables, self._reader.player)
        self._world = ""
        return self._restarted()

    def play(self, action: str) -> Played:
        """Execute an action; of a game that is over, whatever the action, begin the next episode."""
        typed = actions.cleaned(action)
        if self._last.done or actions.is_restart(typed):
            return self._restarted()
        refusal = actions.refusal(typed, self._tables.dictionary.length)
        return self.stay(refusal) if refusal else self._executed(typed)

    def stay(self, observation: str) -> Played:
        """No action: the world as it is, with an observation of Lantern's own."""
        last = self._last
        return self._report(Reading(observation, last.score, last.moves, last.done, last.victory))

    def position(self) -> Position:
        """Where the game is now."""
        return Position(self._frotz.state(), self._onlooker.memory, self._world, self._last)

    def stand_at(self, position: Position) -> Played:
        """Go on from a position of this story; the last answer there."""
        self._frotz.restore(position.state)
        self._onlooker.memory = position.printed
        self._world, self._last = position.world, position.last
        self._scene = self._onlooker.scene(position.last.observation)
        return self._last

    def find(self, wish: Find) -> Found:
        """Look for valid actions; a game that is over has none."""
        if self._last.done:
            return Found((), (), complete=True)
        around = self._onlooker.around(self._scene)
        return self._search.explore(around, wish)

    def _executed(self, action: str) -> Played:
        before = self._frotz.state()
        text = self._past_pauses(self._frotz.step(action))
        fault = self._fault(text)
        if fault:
            self._frotz.restore(before)
            return self.stay(fault)
        return self._report(self._reader.read(text))

    def _fault(self, text: str) -> str:
        """Why an action has to be taken back; empty: it need not."""
        reading = self._reader.read(text, closely=False)
        if reading.done:
            return ""
        if self._frotz.halted():
            return actions.FAULTY
        return actions.UNDONE if self._frotz.awaits_key() or not reading.observation else ""

    def _restarted(self) -> Played:
        self._frotz.restore(self._opening)
        return self._report(self._reader.read(self._opening_text))

    def _past_pauses(self, text: str) -> str:
        """Press SPACE until the story asks for a line again, and put what it prints together."""
        for _ in range(KEYS):
            if self._frotz.halted() or not self._frotz.awaits_key():
                break
            text += self._frotz.step(SPACE)
        return text

    def _report(self, reading: Reading) -> Played:
        """The reading, with the world as it is now; remembered as the last."""
        scene = self._scene = self._onlooker.scene(reading.observation)
        world = self._reader.world()
        self._last = Played(
            observation=reading.observation,
            room_id=str(scene.room.number) if scene.room else None,
            room_name=scene.room.name if scene.room else None,
            inventory=things(scene.held),
            objects=things(scene.seen),
            score=reading.score,
            max_score=self.max_score,
            moves=reading.moves,
            world=world,
            changed=world != self._world,
            done=reading.done,
            victory=reading.victory,
        )
        self._world = world
        return self._last


def things(items: tuple[Item, ...] | None) -> tuple[Thing, ...] | None:
    return None if items is None else tuple(Thing(item.number, item.name, item.container) for item in items)
