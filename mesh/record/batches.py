"""Reading the record in batches, again and again, without a consumer: all it takes is the right to read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Self

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from mesh.errors import BusUnreachable
from mesh.nats.cell import Cell
from mesh.nats.subjects import STREAM

BATCH = 256
"""Messages that are asked for at once."""

PATIENCE = 5.0
"""Seconds that the server may take for the next of them."""

NO_MORE = ("204", "404")
"""How the server ends a batch: it is complete, or nothing (more) is stored there."""


class Batches:
    """The messages under a subject (wildcards allowed) after a sequence number, in the stream's order."""

    def __init__(self, cell: Cell, subject: str, after: int = 0) -> None:
        self.cell, self.subject, self.after = cell, subject, after
        self.more = True
        """Whether some may be stored that were not read yet."""

    async def __aenter__(self) -> Self:
        """Open a place for the answers."""
        self._answers: Subscription = await self.cell.nc.subscribe(self.cell.nc.new_inbox())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        if not self.cell.nc.is_closed:
            await self._answers.unsubscribe()

    async def next(self) -> Sequence[RawStreamMsg]:
        """Those that have come since the last call, some hundred at most; none: there are none yet.

        Raises:
            BusUnreachable: the server did not answer, or has no record.
            NotAllowed: it does not let us read.
        """
        wish = {"seq": self.after + 1, "next_by_subj": self.subject, "batch": BATCH}
        ask = f"$JS.API.DIRECT.GET.{STREAM}"
        found: list[RawStreamMsg] = []
        try:
            async with self.cell.events.raise_if_refused(ask):
                await self.cell.nc.publish(ask, json.dumps(wish).encode(), reply=self._answers.subject)
                while (held := self._held(await self._answers.next_msg(PATIENCE))) is not None:
                    if (held.seq or 0) > self.after:  # not an answer to an earlier call
                        found.append(held)
                        self.after = held.seq or 0
        except (NatsError, TimeoutError) as error:
            raise BusUnreachable("The NATS server does not answer. Is it running still?") from error
        return found

    def _held(self, message: Msg) -> RawStreamMsg | None:
        """The message in an answer; None: it was the last answer, and holds none."""
        told = message.headers or {}
        if (status := told.get("Status")) is None:
            held = RawStreamMsg(told["Nats-Subject"], int(told["Nats-Sequence"]), message.data)
            held.headers = told
            return held
        self.more = told.get("Nats-Num-Pending", "0") != "0"
        if status not in NO_MORE:
            raise BusUnreachable(f"NATS did not read {self.subject}: {told.get('Description', status)}.")
        return None


async def raw_messages(cell: Cell, subject: str) -> AsyncIterator[RawStreamMsg]:
    """Everything stored under a subject (wildcards allowed), in the stream's order.

    Raises:
        BusUnreachable: the server does not answer.
    """
    async with Batches(cell, subject) as batches:
        while batches.more:
            for held in await batches.next():
                yield held


async def last_raw(cell: Cell, subject: str) -> RawStreamMsg | None:
    """The newest message under a subject (wildcards allowed); None: there is none."""
    try:
        return await cell.jsm.get_msg(STREAM, subject=subject, direct=True)
    except NotFoundError:
        return None
