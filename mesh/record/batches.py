"""Reads the record in batches by direct get: no consumer is needed, only the permission to read."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping, Sequence
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

    def __init__(self, cell: Cell, subject: str, after: int = 0, size: int = BATCH) -> None:
        self.cell, self.subject, self.after, self.size = cell, subject, after, size
        self._calls = itertools.count()
        self._reply, self._found = "", list[RawStreamMsg]()
        """Where the answers to the present call come, and the messages in them."""
        self.more = True
        """Whether more messages may be stored than were read."""
        self.pending = 0
        """How many more the server counted after the last batch."""

    async def __aenter__(self) -> Self:
        """Subscribe to the answers."""
        self._inbox = self.cell.nc.new_inbox()
        self._answers: Subscription = await self.cell.nc.subscribe(f"{self._inbox}.*", cb=self._take)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unsubscribe, unless the connection is being closed, which ends all subscriptions."""
        if not (self.cell.nc.is_closed or self.cell.nc.is_draining):
            await self._answers.unsubscribe()

    async def next(self) -> Sequence[RawStreamMsg]:
        """The messages stored since the last call, at most `size`.

        Raises:
            BusUnreachable: the server did not answer, or has no record.
            NotAllowed: the server does not let us read.
        """
        request = {"seq": self.after + 1, "next_by_subj": self.subject, "batch": self.size}
        ask = f"{self.cell.api}.DIRECT.GET.{STREAM}"
        self._reply, self._found = f"{self._inbox}.{next(self._calls)}", []
        self._end: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()
        try:
            async with self.cell.events.raise_if_refused(ask):
                await self.cell.nc.publish(ask, json.dumps(request).encode(), reply=self._reply)
                self._note_end(await self._until_end())
        except (NatsError, TimeoutError) as error:
            raise BusUnreachable("The NATS server does not answer. Is it still running?") from error
        if self._found:  # only now: what an interrupted call has read is read again
            self.after = self._found[-1].seq or 0
        return self._found

    async def _take(self, message: Msg) -> None:
        """Take in an answer to the present call; answers to interrupted calls are passed over."""
        if message.subject != self._reply or self._end.done():
            return
        headers = message.headers or {}
        if "Status" in headers:
            self._end.set_result(headers)
            return
        raw = RawStreamMsg(headers["Nats-Subject"], int(headers["Nats-Sequence"]), message.data)
        raw.headers = headers
        self._found.append(raw)

    async def _until_end(self) -> Mapping[str, str]:
        """The headers of the answer that ends the batch."""
        while not self._end.done():
            before = len(self._found)
            await asyncio.wait((self._end,), timeout=PATIENCE)
            if not self._end.done() and len(self._found) == before:
                raise TimeoutError
        return self._end.result()

    def _note_end(self, headers: Mapping[str, str]) -> None:
        status = headers["Status"]
        self.pending = int(headers.get("Nats-Num-Pending", "0"))
        self.more = self.pending > 0
        if status not in NO_MORE:
            raise BusUnreachable(f"NATS did not read {self.subject}: {headers.get('Description', status)}.")


async def raw_messages(cell: Cell, subject: str) -> AsyncIterator[RawStreamMsg]:
    """All messages stored under a subject (wildcards allowed), in the stream's order.

    Raises:
        BusUnreachable: the server does not answer.
    """
    async with Batches(cell, subject) as batches:
        while batches.more:
            for raw in await batches.next():
                yield raw


async def number_of(cell: Cell, subject: str, *, readable: bool = False) -> int:
    """The number of messages stored under a subject (wildcards allowed).

    `readable`: read them all, and count those that the server gives; it leaves damaged ones out.
    """
    if readable:
        return sum([1 async for _ in raw_messages(cell, subject)])
    async with Batches(cell, subject, size=1) as batches:
        return len(await batches.next()) + batches.pending


async def last_raw(cell: Cell, subject: str) -> RawStreamMsg | None:
    """The newest message under a subject (wildcards allowed); None: there is none."""
    try:
        return await cell.jsm.get_msg(STREAM, subject=subject, direct=True)
    except NotFoundError:
        return None
