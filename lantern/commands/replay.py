"""`lantern replay`: go through a recorded session, step by step if wanted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import typer

from lantern.debugger import Debugger, Shown, debug
from lantern.options import NatsUrl, on_the_bus
from lantern.pace import Pace
from lantern.standard_input import StandardInput
from mesh import record
from mesh.bus import Bus
from mesh.errors import InputError
from mesh.walk import walk
from schemas.base import Kind


def replay_command(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")],
    step: Annotated[
        bool, typer.Option("--step", help="Stop at each step, and take commands (h lists them).")
    ] = False,
    first: Annotated[int, typer.Option("--from", metavar="N", help="The first step to show.")] = 0,
    last: Annotated[int | None, typer.Option("--to", metavar="M", help="The last step to show.")] = None,
    breakpoints: Annotated[
        list[str] | None,
        typer.Option(
            "--break",
            metavar="EXPRESSION",
            help="Stop where it holds: 'score > 10', 'room == \"Kitchen\"'; may be given several times.",
        ),
    ] = None,
    speed: Annotated[
        str, typer.Option(help="instant, original, or xN: N times as fast as it was played.")
    ] = "instant",
    nats: NatsUrl = None,
) -> int:
    """Show a session again as it was recorded; nothing is executed."""
    debugger = Debugger(stepping=step)
    for expression in breakpoints or []:
        debugger.breaks_at(expression)
    pace = Pace.of(speed)

    async def work(bus: Bus) -> None:
        bus.cell = (await record.find(bus, session)).cell
        await _check_range(bus, session, first, last)
        await debug(_steps(bus, session, first, last), debugger, _say, StandardInput().ask, pace, first)

    on_the_bus(nats, "main", work)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


async def _steps(bus: Bus, session: str, first: int, last: int | None) -> AsyncIterator[Shown]:
    async for moment in walk(bus, session, max(first - 1, 0), last):
        yield Shown(moment)


async def _check_range(bus: Bus, session: str, first: int, last: int | None) -> None:
    """Raises InputError for a range without any step."""
    newest = await record.newest(bus, bus.cell, session, Kind.STEP)
    steps = newest.step if newest else 0
    if not 0 <= first <= steps:
        raise InputError(f"--from cannot be {first}: the session {session!r} has steps 0 to {steps}.")
    if last is not None and last < first:
        raise InputError(f"--to cannot be {last}: the first step to show is {first}.")
