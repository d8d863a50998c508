"""What an onlooker sees of a cell: who is live, how full the stream is, and the steps as they are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig, DeliverPolicy
from pydantic import ValidationError

from mesh.nats.cell import Cell
from mesh.nats.codec import message_in
from mesh.nats.subjects import STREAM, live_subject, record_of, wildcard
from mesh.observability.liveness import who_is_live
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.mesh import ServiceAlive, ServiceState

LATELY = timedelta(seconds=30)
"""How far back the steps are read that were taken before the onlooker came."""


@dataclass(frozen=True, slots=True)
class CellStatus:
    """One look at a cell; `messages` and `bytes` are of the whole stream, all cells together."""

    live: tuple[ServiceAlive, ...]
    messages: int
    bytes: int


async def cell_status(cell: Cell) -> CellStatus | None:
    """See who is there now; None: NATS is away."""
    if not cell.nc.is_connected:
        return None
    try:
        live = await who_is_live(cell)
        state = (await cell.jsm.stream_info(STREAM)).state
    except (NatsError, TimeoutError):
        return None
    return CellStatus(tuple(live), state.messages, state.bytes)


async def hear_leaving(cell: Cell, heard: Callable[[ServiceAlive], None]) -> None:
    """Hear of every instance in the cell that takes its leave from now on."""

    async def on_message(message: Msg) -> None:
        try:
            alive = ServiceAlive.model_validate_json(message.data)
        except ValidationError:
            return
        if alive.state is ServiceState.DRAINING:
            heard(alive)

    await cell.nc.subscribe(live_subject(cell.name), cb=on_message)


async def hear_steps(cell: Cell, heard: Callable[[Envelope], None]) -> None:
    """Hear of every step and every end in the cell, of the last seconds and from now on."""

    async def on_message(message: Msg) -> None:
        if (envelope := message_in(message.subject, message.data)) is not None:
            heard(envelope)

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
