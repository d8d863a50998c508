"""A sub-agent of one's own: tells the actor which exits of this room lead back to where it has been."""

from __future__ import annotations

from folds.playthrough import Playthrough
from mesh.runner.fragments import FragmentService
from schemas.game import SessionStarted


class Compass(FragmentService[Playthrough]):
    """Names the known exits of the room."""

    name = "compass"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Playthrough:
        """Nothing is known yet; the base class folds every step into it."""
        return Playthrough()

    def fragment_for(self, state: Playthrough) -> str:
        """Said after every step; the same words twice become "unchanged"."""
        exits = state.map.exits.get(state.room, {})
        return "; ".join(f"{way} leads to {state.map.names[room]}" for way, room in exits.items())
