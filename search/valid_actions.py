"""The valid actions of the present position: those that change the world, found by trying candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from search.environment import Environment, Outcome, SavedPosition
from zmachine.grammar.candidates import SceneNouns, candidates, mentioned_in, nouns_for
from zmachine.grammar.phrases import Phrase, phrases_in
from zmachine.reading.surroundings import held, visible, words_in

CANDIDATES = 400
"""Tried in one world, at most."""
WAIT, LOOK = "wait", "look"


@dataclass
class ValidActionFinder:
    """Finds valid actions, and remembers them by the world and the score."""

    environment: Environment
    candidates: int = CANDIDATES
    _found: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _phrases(self) -> tuple[Phrase, ...]:
        return phrases_in(self.environment.frotz.story(), self.environment.tables.dictionary)

    def here(self) -> tuple[str, ...]:
        """The valid actions, the likeliest first; none where the game is over. The position stays."""
        position = self.environment.save()
        if position.done:
            return ()
        key = (self.environment.world(), position.score)
        if key not in self._found:
            self._found[key] = self._search(position)
            self.environment.restore(position)
        return self._found[key]

    def nouns(self, text: str) -> SceneNouns:
        """The nouns for what is carried, seen, and named in a text."""
        environment, tables = self.environment, self.environment.tables
        tree = environment.tree()
        room, player = environment.room(tree), environment.player
        mine = held(tree, tables.shown, player, lambda word: True) if player else ()
        seen = visible(tree, tables.shown, room, player or None, lambda word: True) if room else ()
        return SceneNouns(
            seen=nouns_for(seen, tables.words, tables.dictionary),
            held=nouns_for(mine, tables.words, tables.dictionary),
            mentioned=mentioned_in(words_in(text), (*seen, *mine), tables),
        )

    def _search(self, position: SavedPosition) -> tuple[str, ...]:
        nouns = self.nouns(self._tried(position, LOOK).observation)
        idle = {(self._world_after(position, action)) for action in (WAIT, LOOK)}
        idle.add((self.environment_world(position), position.score))
        found: dict[tuple[str, int], str] = {}
        endings: list[str] = []
        attempts = candidates(nouns, self._phrases, self.environment.tables.dictionary)
        tried: set[str] = set()
        action: str | None = next(attempts)
        while action is not None and len(tried) < self.candidates:
            if action not in tried:
                tried.add(action)
                outcome = self._tried(position, action)
                effect = (self.environment.world(), outcome.score)
                if outcome.done:
                    endings.append(action)
                elif not outcome.refused and effect not in idle:
                    found.setdefault(effect, action)
            worked = action in found.values() or action in endings
            try:
                action = attempts.send(worked)
            except StopIteration:
                action = None
        return (*found.values(), *endings)

    def environment_world(self, position: SavedPosition) -> str:
        """The world of a position."""
        self.environment.restore(position)
        return self.environment.world()

    def _world_after(self, position: SavedPosition, action: str) -> tuple[str, int]:
        outcome = self._tried(position, action)
        return self.environment.world(), outcome.score

    def _tried(self, position: SavedPosition, action: str) -> Outcome:
        self.environment.restore(position)
        return self.environment.step(action)
