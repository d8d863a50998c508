"""The search for valid actions: try each candidate on the saved state, keep those that change the world.

What is found is a function of the emulator's state, of what was tried before, and of the limits alone:
nothing is remembered here, so a child that takes another's place finds the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from services.game.emulator.frotz import Frotz
from services.game.emulator.protocol import Effect, Find, Found
from services.game.emulator.readers import Reader
from services.game.story_tables import StoryTables
from services.game.valid_actions import Around, Attempts, candidates

WAIT = "wait"
ENDING = "***"
"""Printed before the words of a game's end."""


@dataclass(slots=True)
class Nothing:
    """What actions that do nothing lead to, each with the score then."""

    surfaces: set[tuple[bytes, int | None]]
    worlds: set[tuple[str, int | None]]


@dataclass(slots=True)
class Search:
    """Searches the world in which the emulator is, and leaves it as it was."""

    frotz: Frotz
    reader: Reader
    tables: StoryTables

    def explore(self, around: Around, wish: Find) -> Found:
        """Try candidates that were not tried before, within the limits of the wish."""
        until = time.perf_counter() + wish.seconds
        known, worked = set(wish.tried), set(wish.worked)
        state, world, surface = self.frotz.state(), self.reader.world(), self.reader.surface()
        text = self.frotz.step(WAIT)
        waited, score = self.reader.world(), self.reader.score(text)
        nothing = Nothing(
            {(surface, score), (self.reader.surface(), score)}, {(world, score), (waited, score)}
        )
        tried: list[str] = []
        effects: list[Effect] = []
        attempts = candidates(around, self.tables.phrases, self.tables.dictionary)
        action = next(attempts, None)
        while action is not None:
            if action not in known:
                if len(tried) == wish.limit or time.perf_counter() > until:
                    break
                known.add(action)
                tried.append(action)
                self.frotz.restore(state)
                if effect := self._effect(action, self.frotz.step(action), nothing):
                    effects.append(effect)
                    worked.add(action)
            action = following(attempts, action in worked)
        self.frotz.restore(state)
        if waited != world:
            effects.append(Effect(WAIT, waited, score, done=False))
        return Found(tuple(tried), tuple(effects), complete=action is None)

    def _effect(self, action: str, text: str, nothing: Nothing) -> Effect | None:
        score, surface = self.reader.score(text), self.reader.surface()
        over = ENDING in text or self.frotz.has_quit()
        if not over and (surface, score) in nothing.surfaces:
            return None
        reading = self.reader.read(text, closely=False)
        if not reading.done and (self.frotz.halted() or self.frotz.awaits_key() or not reading.observation):
            return None
        world = self.reader.world()
        if not reading.done and (world, score) in nothing.worlds:
            nothing.surfaces.add((surface, score))
            return None
        return Effect(action, world, score, reading.done)


def following(attempts: Attempts, worked: bool) -> str | None:
    """The next attempt; None: there is none."""
    try:
        return attempts.send(worked)
    except StopIteration:
        return None
