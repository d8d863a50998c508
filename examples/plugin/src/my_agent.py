"""A policy and a sub-agent for Lantern, found by the entry points in pyproject.toml."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import lantern_mesh  # noqa: F401 (puts Lantern's packages on the path)
from folds.playthrough import Playthrough
from mesh.runner.fragments import FragmentService
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

USUAL = ("look", "north", "south", "east", "west", "up", "down", "take all")


class Mine:
    """Does what it has done least often in this room."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The next action. The same arguments give the same choice: all chance comes from `random`."""
        suggested = [action for _, each in sorted(fragments.items()) for action in each.suggestions]
        tried = situation.attempts.in_room(situation.room)
        times = {action: tried.get(action, 0) for action in (*suggested, *USUAL)}
        least = [action for action, count in times.items() if count == min(times.values())]
        return Choice(random.choice(least), f"done {min(times.values())} times here")


class Scales(FragmentService[Playthrough]):
    """Tells the actor how much it carries."""

    name = "scales"
    version = "0.1.0"

    def initial_state(self, started: SessionStarted) -> Playthrough:
        """The base class folds every step into it."""
        return Playthrough()

    def fragment_for(self, state: Playthrough) -> str:
        """Said after every step; the same words twice become "unchanged"."""
        held = state.last.inventory if state.last else None
        return "" if held is None else f"You carry {len(held)} things."
