"""Reads the record in batches by direct get: no consumer is needed, only the permission to read."""

from __future__ import annotations

import itertools
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
"""The number of messages that one request asks for."""

PATIENCE = 5.0
"""Seconds that the server may take for the next message."""

NO_MORE = ("204", "404")
"""The statuses with which the server ends a batch: it is complete, or no more messages are stored."""


class Batches:
    """The messages under a subject (wildcards allowed) after a sequence number, in the stream's order."""

    def __init__(self, cell: Cell, subject: str, after: int = 0) -> None:
        self.cell, self.subject, self.after = cell, subject, after
        self._calls = itertools.count()
        self.more = True
        """Whether more messages may be stored than were read."""

    async def __aenter__(self) -> Self:
        """Subscribe to the answers."""
        self._inbox = self.cell.nc.new_inbox()
        self._answers: Subscription = await self.cell.nc.subscribe(f"{self._inbox}.*")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unsubscribe."""
        if not self.cell.nc.is_closed:
            await self._answers.unsubscribe()

    async def next(self) -> Sequence[RawStreamMsg]:
        """The messages stored since the last call, at most `BATCH`.

        Raises:
            BusUnreachable: the server did not answer, or has no record.
            NotAllowed: the server does not let us read.
        """
        request = {"seq": self.after + 1, "next_by_subj": self.subject, "batch": BATCH}
        ask = f"$JS.API.DIRECT.GET.{STREAM}"
        reply = f"{self._inbox}.{next(self._calls)}"
        found: list[RawStreamMsg] = []
        try:
            async with self.cell.events.raise_if_refused(ask):
                await self.cell.nc.publish(ask, json.dumps(request).encode(), reply=reply)
                while (raw := self._message_in(await self._answer_to(reply))) is not None:
                    found.append(raw)
        except (NatsError, TimeoutError) as error:
            raise BusUnreachable("The NATS server does not answer. Is it still running?") from error
        if found:  # only now: what an interrupted call has read is read again
            self.after = found[-1].seq or 0
        return found

    async def _answer_to(self, reply: str) -> Msg:
        """The next answer to a call; answers to interrupted calls are passed over."""
        while (message := await self._answers.next_msg(PATIENCE)).subject != reply:
            pass
        return message

    def _message_in(self, message: Msg) -> RawStreamMsg | None:
        """The message in an answer; None: the answer ends the batch."""
        headers = message.headers or {}
        if (status := headers.get("Status")) is None:
            raw = RawStreamMsg(headers["Nats-Subject"], int(headers["Nats-Sequence"]), message.data)
            raw.headers = headers
            return raw
        self.more = headers.get("Nats-Num-Pending", "0") != "0"
        if status not in NO_MORE:
            raise BusUnreachable(f"NATS did not read {self.subject}: {headers.get('Description', status)}.")
        return None


async def raw_messages(cell: Cell, subject: str) -> AsyncIterator[RawStreamMsg]:
    """All messages stored under a subject (wildcards allowed), in the stream's order.

    Raises:
        BusUnreachable: the server does not answer.
    """
    async with Batches(cell, subject) as batches:
        while batches.more:
            for raw in await batches.next():
                yield raw


async def last_raw(cell: Cell, subject: str) -> RawStreamMsg | None:
    """The newest message under a subject (wildcards allowed); None: there is none."""
    try:
        return await cell.jsm.get_msg(STREAM, subject=subject, direct=True)
    except NotFoundError:
        return None
