"""Golovin's state, and how it chooses: the first generator that proposes a command."""

from __future__ import annotations

from random import Random

from folds.playthrough import Playthrough
from services.actor.baselines.golovin.generators import GENERATORS
from services.actor.baselines.golovin.memory import LOOK, VERBOSE, GolovinMemory
from services.actor.baselines.reading import begins_episode
from services.actor.policy import Choice


class Golovin:
    """The agent's state: its memory."""

    def __init__(self) -> None:
        self._memory = GolovinMemory()

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        self._memory.after(played)

    def choose(self, random: Random) -> Choice:
        """What the first generator proposes; before all, full descriptions and a look."""
        last = self._memory.last
        if last is None or begins_episode(last):
            return Choice(VERBOSE, "opening: all descriptions in full")
        if last.action == VERBOSE:
            return Choice(LOOK, "opening: the text of the place alone")
        proposed = (generator(self._memory, random) for generator in GENERATORS)
        return next(filter(None, proposed))
