"""`lantern diff`: two sessions side by side."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated

import typer

from lantern.command_options import AsJson, NatsUrl, settings_with, with_bus
from lantern.inspect.diffing import Comparison, lines_about
from lantern.nats.session_index import SessionIndex
from mesh.record.bus import Bus
from mesh.record.following import walk
from mesh.record.step_messages import StepMessages


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
    comparison = Comparison(a, b)
    cells = [(await index.find(bus, session)).cell for session in (a, b)]
    walks = [walk(bus.in_cell(cell).reader, session) for cell, session in zip(cells, (a, b), strict=True)]
    one, other = [await _next(each) for each in walks]
    while one is not None or other is not None:
        number = min(moment.number for moment in (one, other) if moment is not None)
        now = [moment if moment and moment.number == number else None for moment in (one, other)]
        comparison.after(*now)
        one, other = [
            await _next(each) if taken else waiting
            for each, taken, waiting in zip(walks, now, (one, other), strict=True)
        ]
    return comparison


async def _next(moments: AsyncIterator[StepMessages]) -> StepMessages | None:
    return await anext(moments, None)
