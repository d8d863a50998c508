"""The search for valid actions: try each candidate on the saved state, keep those that change the world.

What is found depends on the story, the seed and the actions alone. The effort is therefore a number
of candidates for each visit of a world, not a time, and a visit is remembered with its state: a search
that was put off (while a session is fast-forwarded) comes out as if it had been made at once.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field

from services.game.dictionary import Dictionary
from services.game.emulator.frotz import Frotz, State
from services.game.emulator.protocol import Valid
from services.game.emulator.readers import Reader
from services.game.valid_actions import Around, candidates

CANDIDATES = 48
"""Tried at each visit of a world: 5 to 45 ms."""
CANDIDATES_LARGE = 24
"""In a large story, whose steps take several times as long (Inform 7's library)."""
LARGE = 192 * 1024
"""Bytes from which on a story is large."""
SECONDS = 0.1
"""Of the child's processor time for each visit: the budget. The numbers above stay well within it, for where
it cuts, another machine may find more; a busy machine was measured to need three times the usual time."""
WORLDS = 256
"""Remembered, the latest visited."""
PUT_OFF = 8
"""Visits of one world that may wait for their search."""
WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Visit:
    """A moment at which a world was met."""

    state: State
    around: Around
    score: int | None


@dataclass(slots=True)
class Effort:
    """What the search has found in one world so far."""

    put_off: list[Visit] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    effects: dict[tuple[str, int | None], str] = field(default_factory=dict)
    """The plainest action for each distinct effect: the hash and the score after it."""
    endings: list[str] = field(default_factory=list)
    complete: bool = False

    def valid(self) -> Valid:
        """Actions that end the game stand last: one of them may be the victory."""
        return Valid((*self.effects.values(), *self.endings), self.complete, len(self.tried))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a candidate led to."""

    world: str | None
    """None: to a halt, a menu of keys, or nothing."""
    score: int | None
    done: bool


class Search:
    """The searches of one session, by world."""

    def __init__(self, frotz: Frotz, reader: Reader, dictionary: Dictionary, story_size: int) -> None:
        self._frotz = frotz
        self._reader = reader
        self._dictionary = dictionary
        self._slice = CANDIDATES if story_size < LARGE else CANDIDATES_LARGE
        self.worlds: OrderedDict[str, Effort] = OrderedDict()

    def visit(self, world: str, around: Around, score: int | None) -> None:
        """Remember that the world has been met, in the emulator's present state."""
        effort = self.worlds.setdefault(world, Effort())
        self.worlds.move_to_end(world)
        if not effort.complete and len(effort.put_off) < PUT_OFF:
            effort.put_off.append(Visit(self._frotz.state(), around, score))
        if len(self.worlds) > WORLDS:
            self.worlds.popitem(last=False)

    def found(self, world: str) -> Valid:
        """Make the searches that wait; leaves the emulator in the state in which it was."""
        effort = self.worlds.setdefault(world, Effort())
        if effort.put_off:
            now = self._frotz.state()
            for visit in effort.put_off:
                self._explore(world, effort, visit)
            self._frotz.restore(now)
            effort.put_off.clear()
        return effort.valid()

    def _explore(self, world: str, effort: Effort, visit: Visit) -> None:
        offered = candidates(visit.around, self._dictionary)
        left = [action for action in offered if action not in effort.tried]
        unchanged = {world, self._outcome(visit.state, WAIT).world}
        started = time.process_time()
        for action in left[: self._slice]:
            effort.tried.add(action)
            outcome = self._outcome(visit.state, action)
            if outcome.done:
                effort.endings.append(action)
            elif outcome.world and (outcome.world not in unchanged or rose(visit.score, outcome.score)):
                effort.effects.setdefault((outcome.world, outcome.score), action)
            if time.process_time() - started > SECONDS:
                break
        effort.complete = effort.tried.issuperset(offered)

    def _outcome(self, state: State, action: str) -> Outcome:
        self._frotz.restore(state)
        text = self._frotz.step(action)
        reading = self._reader.read(text, closely=False)
        if self._frotz.halted() or self._frotz.awaits_key() or not reading.observation:
            return NO_OUTCOME
        return Outcome(self._reader.world(), reading.score, reading.done)


NO_OUTCOME = Outcome(world=None, score=None, done=False)


def rose(before: int | None, after: int | None) -> bool:
    return before is not None and after is not None and after > before
