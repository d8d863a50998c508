"""`lantern diff`: two sessions side by side."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lantern.command_options import AsJson, NatsUrl, settings_with, with_bus
from lantern.inspect.diffing import Comparison, compared, lines_about
from lantern.nats.session_index import SessionIndex
from mesh.record.bus import Bus


def diff_command(
    a: Annotated[str, typer.Argument(metavar="A", help="A session's id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another session's id.")],
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Compare two sessions step by step; exit code 0: the same but for names and times, 1: different."""
    index = SessionIndex(settings_with(nats))
    comparison = with_bus(nats, "main", lambda bus: _compared(bus, a, b, index))
    if as_json:
        print(json.dumps(comparison.as_json()))
    else:
        for line in lines_about(comparison):
            print(line)
    return 0 if comparison.same else 1


async def _compared(bus: Bus, a: str, b: str, index: SessionIndex) -> Comparison:
    ours, theirs = [bus.in_cell((await index.find(bus, session)).cell) for session in (a, b)]
    return await compared(a, ours, b, theirs)
