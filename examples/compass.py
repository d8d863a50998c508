"""A sub-agent of one's own: tells the actor which exits of this room lead back to where it has been."""

from __future__ import annotations

from folds.map import Map
from mesh.runner.fragments import FragmentService
from schemas.game import SessionStarted


class Compass(FragmentService[Map]):
    """Names the known exits of the room."""

    name = "compass"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Map:
        """A blank map; the base folds every step into it."""
        return Map()

    def fragment_for(self, state: Map) -> str:
        """Said after every step; the same words twice become "unchanged"."""
        exits = state.exits.get(state.here, {})
        return "; ".join(f"{way} leads to {state.names[room]}" for way, room in exits.items())
