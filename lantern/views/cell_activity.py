"""What `lantern top` shows of a cell: a fold over the status of its services and its sessions' steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mesh.observability.cell_status import CellStatus
from schemas.envelope import Envelope
from schemas.game import SessionEnded, StepTaken
from schemas.mesh import ServiceAlive, ServiceState

SILENT_FOR = 30.0
"""Seconds for which an instance is still shown that answers no more, and did not take its leave."""

UNDER_WAY = 60.0
"""Seconds after its last step for which a session is shown."""

PACE = 10.0
"""Seconds over which a session's pace is taken."""


@dataclass(slots=True)
class SeenInstance:
    """One instance as it was seen last."""

    alive: ServiceAlive
    at: datetime
    rate: float | None = None
    """Messages a second, between the last two looks."""

    def update(self, alive: ServiceAlive, at: datetime) -> None:
        """It was seen once more."""
        seconds = (alive.time - self.alive.time).total_seconds()
        if seconds > 0:
            self.rate = max(0, alive.handled - self.alive.handled) / seconds
        self.alive, self.at = alive if seconds > 0 else self.alive, at


@dataclass(slots=True)
class SessionRate:
    """One session under way."""

    step: int = 0
    score: int | None = None
    times: deque[datetime] = field(default_factory=lambda: deque(maxlen=1000))

    def per_second(self, now: datetime) -> float:
        """Steps a second, lately."""
        return sum((now - time).total_seconds() <= PACE for time in self.times) / PACE


@dataclass(slots=True)
class CellActivity:
    """All that is shown of a cell."""

    cell: str
    now: datetime
    unreachable: bool = False
    """NATS could not be asked at the last look."""
    messages: int = 0
    bytes: int = 0
    seen: dict[str, SeenInstance] = field(default_factory=dict)
    beats: dict[str, ServiceAlive] = field(default_factory=dict)
    """The newest heartbeat of each instance since the last look."""
    leaving: set[str] = field(default_factory=set)
    """Instances that took their leave: they are not missed."""
    sessions: dict[str, SessionRate] = field(default_factory=dict)

    def update(self, look: CellStatus | None, now: datetime) -> None:
        """Take in a look at the cell."""
        self.now, self.unreachable = now, look is None
        if look is not None:
            self.messages, self.bytes = look.messages, look.bytes
            for alive in (*look.live, *self.beats.values()):
                self._note_instance(alive)
        self.beats.clear()
        for instance, seen in list(self.seen.items()):
            gone = seen.at < now and instance in self.leaving
            if gone or self.silent_seconds(seen) > SILENT_FOR:
                del self.seen[instance]
                self.leaving.discard(instance)
        for session, pace in list(self.sessions.items()):
            if (now - pace.times[-1]).total_seconds() > UNDER_WAY:
                del self.sessions[session]

    def missed_deadlines(self, service: str) -> int:
        """Deadlines that a service has missed, as those who waited for it tell."""
        return sum(seen.alive.misses.get(service, 0) for seen in self.seen.values())

    def add_heartbeat(self, alive: ServiceAlive) -> None:
        """Take in a heartbeat, with which an instance may take its leave."""
        if alive.state is ServiceState.DRAINING:
            self.leaving.add(alive.instance)
            self.beats.pop(alive.instance, None)
        else:
            self.beats[alive.instance] = alive

    def add_message(self, envelope: Envelope) -> None:
        """Take in a step, or a session's end."""
        match envelope.body:
            case StepTaken() as step:
                pace = self.sessions.setdefault(envelope.session, SessionRate())
                pace.step, pace.score = step.step, step.score
                pace.times.append(envelope.time)
            case SessionEnded():
                self.sessions.pop(envelope.session, None)
            case _:
                pass

    def services(self) -> list[SeenInstance]:
        """The instances, by name."""
        return sorted(self.seen.values(), key=lambda seen: (seen.alive.name, seen.alive.instance))

    def silent_seconds(self, seen: SeenInstance) -> float:
        """Seconds since an instance was seen."""
        return (self.now - seen.at).total_seconds()

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        services = [
            {
                **seen.alive.model_dump(mode="json"),
                "messages_per_second": seen.rate,
                "silent_seconds": self.silent_seconds(seen),
            }
            for seen in self.services()
        ]
        sessions = [
            {
                "session": session,
                "step": pace.step,
                "score": pace.score,
                "steps_per_second": pace.per_second(self.now),
            }
            for session, pace in sorted(self.sessions.items())
        ]
        stream = {"messages": self.messages, "bytes": self.bytes}
        return {"cell": self.cell, "services": services, "sessions": sessions, "stream": stream}

    def _note_instance(self, alive: ServiceAlive) -> None:
        if alive.instance in self.seen:
            self.seen[alive.instance].update(alive, self.now)
        else:
            self.seen[alive.instance] = SeenInstance(alive, self.now)
