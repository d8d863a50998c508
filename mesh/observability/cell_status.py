"""The status of a cell: the live services, the size of the stream, and the steps as they are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig, DeliverPolicy

from mesh.nats.cell import Cell
from mesh.nats.codec import message_in
from mesh.nats.subjects import STREAM, live_subject, record_of, wildcard
from mesh.observability.liveness import valid_heartbeat, who_is_live
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.mesh import ServiceAlive

log = structlog.get_logger()

LATELY = timedelta(seconds=30)
"""How far back `watch_steps` begins."""


@dataclass(frozen=True, slots=True)
class CellStatus:
    """The status of a cell; `messages` and `bytes` count the whole stream, all cells together."""

    live: tuple[ServiceAlive, ...]
    messages: int
    bytes: int


async def cell_status(cell: Cell) -> CellStatus | None:
    """The status now; None: NATS does not answer."""
    if not cell.nc.is_connected:
        return None
    try:
        live = await who_is_live(cell)
        state = (await cell.jsm.stream_info(STREAM)).state
    except (NatsError, TimeoutError):
        return None
    return CellStatus(tuple(live), state.messages, state.bytes)


async def watch_heartbeats(cell: Cell, on_heartbeat: Callable[[ServiceAlive], None]) -> None:
    """Call back for each heartbeat in the cell from now on; invalid ones are left out."""
    faults: dict[str, str] = {}

    async def on_message(message: Msg) -> None:
        if (alive := valid_heartbeat(message, faults)) is not None:
            on_heartbeat(alive)

    await cell.nc.subscribe(live_subject(cell.name), cb=on_message)


async def watch_steps(cell: Cell, on_step: Callable[[Envelope], None]) -> None:
    """Call back for each step and each end of a session in the cell, from some seconds ago on."""

    async def on_message(message: Msg) -> None:
        if (envelope := message_in(message.subject, message.data)) is not None:
            on_step(envelope)

    await cell.js.subscribe(
        record_of(cell.name, "*"),
        cb=on_message,
        stream=STREAM,
        ordered_consumer=True,
        idle_heartbeat=0.5,
        config=ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_TIME,
            opt_start_time=cell.now() - LATELY,
            inactive_threshold=30,
            filter_subjects=[wildcard(cell.name, "*", kind) for kind in (Kind.STEP, Kind.ENDED)],
        ),
    )
