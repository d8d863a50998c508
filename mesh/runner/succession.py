"""Which instance of a service serves: one that replaces the others takes their work over, and gives it back.

The replacing instance says in its heartbeats from which message on it serves (`replaces`) and how far it has
come (`floor`). The others leave those messages to it, but keep each unacknowledged until it is done, and take
the work up again when the replacing instance has left or died.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nats.aio.msg import Msg

from mesh.nats.cell import Cell
from mesh.nats.subjects import live_subject
from mesh.observability.liveness import LivenessTracker, valid_heartbeat, who_is_live
from schemas.mesh import ServiceAlive, ServiceState

LOOK = 0.1
"""Seconds between two looks at whether a replacing instance has come or gone."""


@dataclass(slots=True)
class Succession:
    """The live instances that replace one instance of this scope."""

    scope: str
    replaces: Callable[[], int | None]
    """The message after which this instance itself serves in place of others."""
    tracker: LivenessTracker
    on_progress: Callable[[ServiceAlive], None]
    """Called with each heartbeat of a replacing instance, which tells how far it has come."""
    _instance: str = ""

    async def open(self, cell: Cell) -> None:
        """Listen to the heartbeats of the service; an instance of the whole cell asks who is live already."""
        await cell.nc.subscribe(live_subject(cell.name, cell.me.name), cb=self._on_message)
        self._instance = cell.me.instance
        if self.scope == "*":
            for alive in await who_is_live(cell):
                if alive.name == cell.me.name:
                    self.tracker.note(alive)

    def successor(self, session: str, sequence: int) -> ServiceAlive | None:
        """The instance that handles a message in place of this one; None: nobody does."""
        for alive in self._replacing():
            if alive.scope in ("*", session) and sequence > (alive.replaces or 0):
                return alive
        return None

    def is_replaced(self) -> bool:
        """Whether another instance does all of this instance's work."""
        return any(alive.scope in ("*", self.scope) for alive in self._replacing())

    def _replacing(self) -> list[ServiceAlive]:
        """The live instances that replace this one: of two that replace each other the later one serves."""
        rank = _rank(self.replaces(), self._instance)
        return [
            alive
            for alive in self.tracker.live()
            if alive.replaces is not None
            and alive.state is not ServiceState.WARMING
            and _rank(alive.replaces, alive.instance) > rank
        ]

    async def _on_message(self, message: Msg) -> None:
        if (alive := valid_heartbeat(message, self.tracker.faults)) is None:
            return
        self.tracker.note(alive)
        if alive.replaces is not None:
            self.on_progress(alive)


def _rank(replaces: int | None, instance: str) -> tuple[int, str]:
    return (-1, "") if replaces is None else (replaces, instance)
