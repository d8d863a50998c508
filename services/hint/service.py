"""The hint service on the bus."""

from __future__ import annotations

from mesh.fragments import FragmentService
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.hint.logic import Hints, fragment


class HintService(FragmentService[Hints]):
    """Ranks untried actions on a change of room or of the world."""

    name = "hint"
    version = "1.0.0"

    def begin(self, started: SessionStarted) -> Hints:
        """Nothing is known of a session that has just started."""
        return Hints.opening(started)

    def says(self, state: Hints) -> Fragment | None:
        """What the rules make of the steps so far."""
        return fragment(state)
