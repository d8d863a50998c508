"""`lantern top`: watch the services and sessions of a cell."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import nullcontext
from functools import partial
from typing import Annotated

import typer
from rich.live import Live

from lantern.command_options import AsJson, CellName, NatsUrl, settings_with, with_bus
from lantern.play.signals import StopOnSignal
from lantern.views.cell_activity import CellActivity
from lantern.views.console import console
from lantern.views.live.keyboard import keyboard
from lantern.views.top_view import drawn
from mesh.log import log_to_file
from mesh.observability.cell_status import cell_status, watch_heartbeats, watch_steps
from mesh.record.bus import Bus
from mesh.waiting import at_most


def top_command(
    nats: NatsUrl = None,
    cell: CellName = "main",
    interval: Annotated[float, typer.Option(min=0.1, max=60, help="Seconds between two looks.")] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Print one table and end.")] = False,
    as_json: AsJson = False,
) -> int:
    """Watch services and sessions of a cell: rates, latencies, lags; q or Ctrl-C ends it."""
    watched = sys.stdout.isatty() and not once and not as_json

    async def work(bus: Bus) -> CellActivity:
        board = CellActivity(bus.cell.name, bus.cell.now())
        await watch_heartbeats(bus.cell, board.add_heartbeat)
        await watch_steps(bus.cell, board.add_message)
        with StopOnSignal() as stopping, keyboard(partial(_on_key, stopping), stopping.set):
            await (_watch if watched else _look_twice)(bus, board, interval, stopping)
        return board

    with log_to_file(settings_with(nats).home / "lantern.log") if watched else nullcontext():
        board = with_bus(nats, cell, work)
    if as_json:
        print(json.dumps(board.as_json()))
    elif not watched:
        console().print(drawn(board))
    return 0


def _on_key(stopping: asyncio.Event, key: str) -> None:
    if key == "q":
        stopping.set()


async def _watch(bus: Bus, board: CellActivity, interval: float, stopping: asyncio.Event) -> None:
    """Look again and again, and draw."""
    with Live(drawn(board), screen=True, auto_refresh=False) as live:
        while not stopping.is_set():
            board.update(await cell_status(bus.cell), bus.cell.now())
            live.update(drawn(board), refresh=True)
            await at_most(interval, stopping.wait())


async def _look_twice(bus: Bus, board: CellActivity, interval: float, stopping: asyncio.Event) -> None:
    """Two looks make a rate."""
    board.update(await cell_status(bus.cell), bus.cell.now())
    await at_most(interval, stopping.wait())
    board.update(await cell_status(bus.cell), bus.cell.now())
