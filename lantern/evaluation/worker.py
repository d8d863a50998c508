"""A worker: takes plays from the queue, one after another, and stores their results."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack

import structlog

from lantern.error_output import first_lantern_error
from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.playing import PlayInterrupted, failed_result, played
from lantern.evaluation.results import PlayResult
from lantern.nats.connection import connection
from lantern.play.signals import StopOnSignal
from mesh.errors import BusUnreachable, LanternError, SessionPlayed
from mesh.nats.work_queue import WorkPiece, WorkQueue
from mesh.printable import one_line
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind

CELL = "evaluate"
"""The cell of connections that play nothing themselves."""

PATIENCE = 1.0
"""Seconds that a worker waits for a play before it looks for another run."""

AGAIN = 1.0
"""Seconds after which a play is offered again that another worker still has."""

MOST_DELIVERIES = 5
"""Workers that may die of one play before it counts as failed."""

TOLD_EVERY = 0.5
"""Seconds between two reports of how far a play is."""

log = structlog.get_logger()


async def work(url: str, settings: MeshSettings, run: str | None) -> None:
    """Take plays until a signal comes. `run`: of that run alone; None: of every run on the server.

    Raises:
        FailureError: the server is gone.
    """
    with StopOnSignal() as stopping:
        async with connection(url, CELL, "evaluator", settings.patience) as bus:
            queue = WorkQueue(bus.cell)
            await queue.provision()
            while not stopping.is_set():
                if (piece := await _next_piece(queue, run)) is not None:
                    await _do(piece, queue, bus, settings, stopping)


async def _next_piece(queue: WorkQueue, run: str | None) -> WorkPiece | None:
    runs = [run] if run is not None else await queue.batches()
    for each in runs:
        if (piece := await queue.take(each, PATIENCE / len(runs))) is not None:
            return piece
    if run is None and not runs:
        await asyncio.sleep(PATIENCE)
    return None


async def _do(
    piece: WorkPiece, queue: WorkQueue, bus: Bus, settings: MeshSettings, stopping: asyncio.Event
) -> None:
    planned = PlannedPlay.model_validate_json(piece.data)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(piece.kept())
        telling = asyncio.create_task(_tell(planned, queue, bus))
        stack.callback(telling.cancel)
        try:
            result = await _result(piece, planned, bus, settings, stopping)
        except PlayInterrupted:
            await piece.give_back()
        except SessionPlayed:
            await piece.give_back(AGAIN)
        else:
            await piece.done(result.model_dump_json().encode())


async def _result(
    piece: WorkPiece, planned: PlannedPlay, bus: Bus, settings: MeshSettings, stopping: asyncio.Event
) -> PlayResult:
    """What a play came to; what keeps it from being played is its result.

    Raises:
        PlayInterrupted, SessionPlayed: another worker is to take it.
        BusUnreachable: the server is gone.
    """
    if piece.deliveries > MOST_DELIVERIES:
        return failed_result(
            planned, f"{MOST_DELIVERIES} workers ended while they played it; see workers.log."
        )
    log.info("play_begun", play=planned.key, session=planned.session)
    try:
        result = await played(planned, bus, settings, stopping)
    except (LanternError, BaseExceptionGroup) as error:
        first = first_lantern_error(error)
        if stopping.is_set():  # it was stopped before its first step, say
            raise PlayInterrupted from error
        if isinstance(first, SessionPlayed | BusUnreachable):
            raise first from error
        result = failed_result(planned, one_line(str(first)))
    log.info("play_ended", play=planned.key, state=result.state, failure=result.failure)
    return result


async def _tell(planned: PlannedPlay, queue: WorkQueue, bus: Bus) -> None:
    """Tell who watches the run how many steps the play has."""
    there = bus.in_cell(planned.cell)
    while True:
        newest = await there.reader.newest(planned.session, Kind.STEP)
        told = {"play": planned.key, "steps": newest.step if newest else 0}
        await queue.tell(planned.run, json.dumps(told).encode())
        await asyncio.sleep(TOLD_EVERY)
