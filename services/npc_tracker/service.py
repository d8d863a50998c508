"""The NPC tracker on the bus."""

from __future__ import annotations

from mesh.fragments import FragmentService
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.npc_tracker.logic import Talk, fragment


class NpcTrackerService(FragmentService[Talk]):
    """Says what a stalled conversation still needs."""

    name = "npc_tracker"
    version = "1.0.0"

    def begin(self, started: SessionStarted) -> Talk:
        """Nothing is known of a session that has just started."""
        return Talk.opening(started)

    def says(self, state: Talk) -> Fragment | None:
        """What the rules make of the steps so far."""
        return fragment(state)
