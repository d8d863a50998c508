"""The search for valid actions: try each candidate on the saved state, keep those that change the world.

What is found is a function of the emulator's state, of what was found before, and of the limits alone:
nothing is remembered here, so a child that takes another's place finds the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from search.valid_actions.reach import Reach
from zmachine.emulator.frotz import Frotz, MachineState
from zmachine.emulator.keys import past_pauses
from zmachine.emulator.readers import Reader
from zmachine.grammar.candidates import Attempts, candidates
from zmachine.grammar.phrases import Phrase, phrases_in
from zmachine.story_tables import StoryTables

WAIT = "wait"
ENDING = "***"
"""Printed before the words of a game's end."""

Scored = tuple[str, int | None]
"""A world's hash, and the score there."""


@dataclass(frozen=True, slots=True)
class SearchedBefore:
    """What earlier searches of the same world have found."""

    actions: tuple[str, ...] = ()
    tried: int = 0
    """Candidates."""


@dataclass(frozen=True, slots=True)
class FoundActions:
    """The valid actions, one for each effect."""

    actions: tuple[str, ...]
    tried: int
    complete: bool
    """Whether every candidate was tried."""
    cut: bool = False
    """Whether the clock ended the search."""


def endless() -> float:
    """A clock that ends no search."""
    return 0.0


class ActionSearch:
    """Searches the emulator's present world, and restores it afterwards."""

    def __init__(
        self, frotz: Frotz, reader: Reader, tables: StoryTables, clock: Callable[[], float] = endless
    ) -> None:
        """`clock`: seconds of processor time."""
        self._frotz, self._reader, self._tables, self._clock = frotz, reader, tables, clock

    @cached_property
    def _phrases(self) -> tuple[Phrase, ...]:
        """Read only where a search is made: a session's own emulator makes none."""
        return phrases_in(self._frotz.story(), self._tables.dictionary)

    def explore(
        self,
        player: int,
        room: int,
        limit: int,
        before: SearchedBefore = SearchedBefore(),
        seconds: float = 1.0,
    ) -> FoundActions:
        """Try so many more candidates; the clock ends the search as a safety net.

        `player`, `room`: their objects; 0: not known.
        """
        until = self._clock() + seconds
        nouns = Reach(self._frotz, self._tables, player, room).nouns()
        trial = Trial(self._frotz, self._reader)
        for known in before.actions:
            trial.attempt(known)
        attempts = candidates(nouns, self._phrases, self._tables.dictionary)
        passed: set[str] = set()
        cut = False
        action: str | None = next(attempts)
        while action is not None:
            if action not in passed:
                if len(passed) >= before.tried and not trial.has_effect(action):
                    if len(passed) == before.tried + limit:
                        break
                    if cut := self._clock() > until:
                        break
                    trial.attempt(action)
                passed.add(action)
            action = following(attempts, trial.has_effect(action))
        trial.end()
        return FoundActions(
            trial.found(before.actions), max(before.tried, len(passed)), complete=action is None, cut=cut
        )


@dataclass(slots=True)
class Trial:
    """Tries actions from one state, and keeps the first for each effect."""

    frotz: Frotz
    reader: Reader
    _state: MachineState = field(init=False)
    _idle_surfaces: set[tuple[bytes, int | None]] = field(init=False)
    _idle: set[Scored] = field(init=False)
    """What actions that do nothing lead to."""
    _waiting: bool = field(init=False)
    """Whether something happens by itself here."""
    _effects: dict[Scored, str] = field(default_factory=dict)
    _endings: list[str] = field(default_factory=list)
    _kept: set[str] = field(default_factory=set)
    """The actions of both."""

    def __post_init__(self) -> None:
        self._state = self.frotz.state()
        world, surface = self.reader.world(), self.reader.surface()
        text = self.frotz.step(WAIT)
        waited, score = self.reader.world(), self.reader.score(text)
        self._idle_surfaces = {(surface, score), (self.reader.surface(), score)}
        self._idle = {(world, score), (waited, score)}
        self._waiting = waited != world

    def has_effect(self, action: str) -> bool:
        """Whether an action stands for its effect."""
        return action in self._kept

    def attempt(self, action: str) -> None:
        """Try an action; keep it if it does what none did before."""
        self.frotz.restore(self._state)
        text = past_pauses(self.frotz, self.frotz.step(action))
        surface, score = self.reader.surface(), self.reader.score(text)
        over = ENDING in text or self.frotz.has_quit()
        if not over and (surface, score) in self._idle_surfaces:
            return
        reading = self.reader.read(text, closely=False)
        if reading.done:
            self._endings.append(action)
            self._kept.add(action)
        elif self.frotz.halted() or self.frotz.awaits_key() or not reading.observation:
            return
        elif (effect := (self.reader.world(), score)) in self._idle:
            self._idle_surfaces.add((surface, score))
        else:
            self._kept.add(self._effects.setdefault(effect, action))

    def found(self, before: tuple[str, ...]) -> tuple[str, ...]:
        """The valid actions: what was found before keeps its place; what ends the game stands last."""
        waiting = (WAIT,) if self._waiting else ()
        kept = (action for action in before if action != WAIT and action not in self._endings)
        return tuple(dict.fromkeys((*kept, *self._effects.values(), *waiting, *self._endings)))

    def end(self) -> None:
        """Go back to where the trial began."""
        self.frotz.restore(self._state)


def following(attempts: Attempts, worked: bool) -> str | None:
    """The next attempt; None: there is none."""
    try:
        return attempts.send(worked)
    except StopIteration:
        return None
