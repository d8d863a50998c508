"""`lantern status`: who is live."""

from __future__ import annotations

import json
import sys
from collections import Counter

from rich.table import Table
from rich.text import Text

from lantern.command_options import AsJson, CellName, NatsUrl, with_bus
from lantern.play.services import SERVICES
from lantern.views.console import console
from lantern.views.text_view import one_line, printable
from mesh.observability.liveness import who_is_live
from schemas.mesh import ServiceAlive

HEADINGS = "service version instance serves state health handled failed lag misses".split()


def status_command(nats: NatsUrl = None, cell: CellName = "main", as_json: AsJson = False) -> int:
    """Show the live services of a cell: version, state, health, lag, deadlines missed."""
    live = with_bus(nats, cell, lambda bus: who_is_live(bus.cell))
    if as_json:
        print(json.dumps([alive.model_dump(mode="json") for alive in live]))
        return 0
    if live:
        console().print(_table(live))
    for alive in live:
        for problem in alive.problems:
            print(printable(f"{alive.name} {alive.instance}: {problem}"))
    absent = sorted(SERVICES.keys() - {alive.name for alive in live if alive.shadow is None})
    if absent:
        print(f"not live in cell {cell}: {', '.join(absent)} (start with `lantern serve`)", file=sys.stderr)
    return 0


def _table(live: list[ServiceAlive]) -> Table:
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
