"""`lantern status`: who is live."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lantern.compose import SERVICES
from lantern.options import AsJson, CellName, NatsUrl, on_the_bus
from lantern.show import one_line
from mesh.liveness import who_is_live
from schemas.mesh import ServiceAlive


def status_command(nats: NatsUrl = None, cell: CellName = "main", as_json: AsJson = False) -> int:
    """Show the live services of a cell: version, state, lag."""
    live = on_the_bus(nats, cell, who_is_live)
    if as_json:
        print(json.dumps([alive.model_dump(mode="json") for alive in live]))
        return 0
    if live:
        Console().print(_table(live))
    absent = sorted(SERVICES.keys() - {alive.name for alive in live})
    if absent:
        print(f"not live in cell {cell}: {', '.join(absent)} (start with `lantern serve`)", file=sys.stderr)
    return 0


def _table(live: list[ServiceAlive]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("service", "version", "instance", "serves", "state", "handled", "failed", "lag"):
        table.add_column(heading)
    for alive in live:
        serves = "all sessions" if alive.scope == "*" else alive.scope
        counts = (str(alive.handled), str(alive.failed), str(alive.lag))
        told = (alive.name, alive.version, alive.instance, serves, alive.state.value, *counts)
        table.add_row(*(Text(one_line(cell)) for cell in told))
    return table
