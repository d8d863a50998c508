"""`lantern status`: who is live."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.table import Table
from rich.text import Text

from lantern.command_options import AsJson, CellName, NatsUrl, settings_with, with_bus
from lantern.invocation import as_typed
from lantern.nats.connection import is_idle
from lantern.play.services import SERVICES
from lantern.views.console import console
from mesh.observability.liveness import LivenessTracker, everybody
from mesh.printable import one_line, printable
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.settings import MeshSettings
from schemas.mesh import ServiceAlive

LISTENING = 1.2
"""Pauses between heartbeats for which a cell without an actor is listened to."""

HEADINGS = "service version instance serves state health handled failed lag misses".split()


def status_command(nats: NatsUrl = None, cell: CellName = "main", as_json: AsJson = False) -> int:
    """Show the live services of a cell: version, state, health, lag, deadlines missed."""
    settings = settings_with(nats)
    seen = Seen() if is_idle(settings) else with_bus(nats, cell, lambda bus: _look(bus, settings))
    live = seen.live
    if as_json:
        print(json.dumps([alive.model_dump(mode="json") for alive in live]))
        return 0
    if live:
        console().print(_table(live))
    for alive in live:
        for problem in alive.problems:
            print(printable(f"{alive.name} {alive.instance}: {problem}"))
    for fault in seen.faults:
        print(printable(fault))
    if seen.dead:
        counts = ", ".join(f"{number} of {service}" for service, number in sorted(seen.dead.items()))
        print(f"dead letters: {counts} ({as_typed('see `lantern dead-letters list`')})")
    absent = sorted(SERVICES.keys() - {alive.name for alive in live if alive.shadow is None})
    if absent:
        start = as_typed("start with `lantern serve`")
        print(f"not live in cell {cell}: {', '.join(absent)} ({start})", file=sys.stderr)
    return 0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at the cell has shown."""

    live: Sequence[ServiceAlive] = ()
    faults: Sequence[str] = ()
    """Invalid heartbeats, in words."""
    dead: Mapping[str, int] = field(default_factory=dict)
    """The number of dead letters, by service."""


async def _look(bus: Bus, settings: MeshSettings) -> Seen:
    tracker = LivenessTracker(settings.dead_after)
    live = await everybody(bus.cell, tracker, LISTENING * settings.heartbeat)
    return Seen(live, [*tracker.faults.values()], await dead_letters.counts(bus.reader))


def _table(live: Sequence[ServiceAlive]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading)
    missed = sum((Counter(alive.misses) for alive in live), Counter[str]())
    for alive in live:
        health = "well" if alive.healthy else "ill"
        words = (alive.name, alive.version, alive.instance, _serves(alive), alive.state.value, health)
        counts = map(str, (alive.handled, alive.failed, alive.lag, missed[alive.name]))
        table.add_row(*(Text(one_line(cell)) for cell in (*words, *counts)))
    return table


def _serves(alive: ServiceAlive) -> str:
    if alive.shadow is not None:
        return f"as a shadow ({alive.shadow.same} same, {alive.shadow.different} different)"
    return "all sessions" if alive.scope == "*" else alive.scope
