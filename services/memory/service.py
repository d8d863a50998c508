"""The memory on the bus: believes at once, keeps the history behind, answers questions."""

from __future__ import annotations

from pathlib import Path

from mesh.fragments import FragmentService
from schemas.fragment import Fragment
from schemas.game import SessionStarted
from services.memory.logic import Beliefs, fragment


class MemoryService(FragmentService[Beliefs]):
    """What is believed of the world."""

    name = "memory"
    version = "1.0.0"

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def begin(self, started: SessionStarted) -> Beliefs:
        """Nothing is known of a session that has just started."""
        return Beliefs()

    def says(self, state: Beliefs) -> Fragment | None:
        """The room's state and the beliefs."""
        return fragment(state)
