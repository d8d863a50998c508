"""The narrator on the bus."""

from __future__ import annotations

from mesh.fragments import FragmentService
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.narrator.logic import Story, fragment


class NarratorService(FragmentService[Story]):
    """Sums the session up, every few steps and when points change."""

    name = "narrator"
    version = "1.0.0"

    def begin(self, started: SessionStarted) -> Story:
        """Nothing is known of a session that has just started."""
        return Story.opening(started)

    def says(self, state: Story) -> Fragment | None:
        """What the rules make of the steps so far."""
        return fragment(state)
