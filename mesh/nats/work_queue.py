"""A queue of work in JetStream: each piece is done by one worker, and has one result.

The pieces of a batch lie in a stream with work-queue retention, one for each key; a worker that has gone
without a result loses its piece to another after `ACK_WAIT`. The results lie in a second stream, which takes
one for each key: a piece that was done twice has the first result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    Header,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.client import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from mesh.nats.cell import Cell
from mesh.nats.stream import ALREADY_THERE

WORK, RESULTS = "LANTERN_WORK", "LANTERN_WORK_RESULTS"
"""The streams."""

ACK_WAIT = 5.0
"""Seconds without a sign of life from a worker after which its piece goes to another."""


@dataclass(frozen=True, slots=True)
class WorkResult:
    """The result of a piece of work."""

    sequence: int
    key: str
    data: bytes


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """A piece of work that this worker has taken."""

    batch: str
    key: str
    data: bytes
    deliveries: int
    """How often it was taken, this time included."""
    message: Msg
    cell: Cell

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Within the block the server is told that the work goes on."""
        telling = asyncio.create_task(self._tell())
        try:
            yield
        finally:
            telling.cancel()

    async def done(self, result: bytes) -> None:
        """Store the result, and remove the piece from the queue."""
        await _put(self.cell, RESULTS, result_subject(self.batch, self.key), result)
        await self.message.ack_sync()

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after `delay` seconds."""
        await self.message.nak(delay)
        await self.cell.nc.flush()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(ACK_WAIT / 5)
            await self.message.in_progress()


def work_subject(batch: str, key: str) -> str:
    """The subject of a piece of work; a key of `>`: of all of its batch."""
    return f"lantern-work.todo.{batch}.{key}"


def result_subject(batch: str, key: str) -> str:
    """The subject of a result; a key of `>`: of all of its batch."""
    return f"lantern-work.done.{batch}.{key}"


def progress_subject(batch: str) -> str:
    """The subject on which workers tell how far they are. Nobody keeps that."""
    return f"lantern-work.progress.{batch}"


@dataclass(slots=True)
class WorkQueue:
    """The queue, as one process uses it."""

    cell: Cell

    async def provision(self) -> None:
        """Create the streams if they are missing."""
        once = {
            "storage": StorageType.FILE,
            "max_msgs_per_subject": 1,
            "discard": DiscardPolicy.NEW,
            "discard_new_per_subject": True,
            "allow_direct": True,
        }
        queue = StreamConfig(
            name=WORK,
            subjects=[work_subject("*", "*")],
            retention=RetentionPolicy.WORK_QUEUE,
            **once,  # type: ignore[arg-type]
        )
        results = StreamConfig(name=RESULTS, subjects=[result_subject("*", "*")], **once)  # type: ignore[arg-type]
        for stream in (queue, results):
            try:
                await self.cell.jsm.stream_info(stream.name or "")
            except NotFoundError:
                await self.cell.jsm.add_stream(stream)

    async def open(self, batch: str) -> None:
        """Let workers take pieces of the batch."""
        await self.cell.jsm.add_consumer(
            WORK,
            ConsumerConfig(
                durable_name=batch,
                filter_subject=work_subject(batch, "*"),
                ack_policy=AckPolicy.EXPLICIT,
                ack_wait=ACK_WAIT,
                max_deliver=-1,
            ),
        )

    async def put(self, batch: str, key: str, data: bytes) -> None:
        """Add a piece of work, unless one of this key is in the queue."""
        await _put(self.cell, WORK, work_subject(batch, key), data)

    async def batches(self) -> list[str]:
        """The batches that workers may take pieces of."""
        try:
            return sorted(each.name for each in await self.cell.jsm.consumers_info(WORK))
        except NotFoundError:
            return []

    async def take(self, batch: str, patience: float) -> WorkPiece | None:
        """The next piece of a batch; None: there was none for `patience` seconds."""
        try:
            reader = await self.cell.js.pull_subscribe_bind(batch, WORK)
            try:
                [message] = await reader.fetch(1, timeout=patience)
            finally:
                await reader.unsubscribe()
        except (NatsTimeout, NotFoundError):
            return None
        key = message.subject.rpartition(".")[2]
        deliveries = message.metadata.num_delivered or 1
        return WorkPiece(batch, key, message.data, deliveries, message, self.cell)

    async def results(self, batch: str, after: int) -> AsyncIterator[WorkResult]:
        """The results that are stored behind a sequence number (0: all)."""
        while True:
            try:
                message = await self.cell.jsm.get_msg(
                    RESULTS, seq=after + 1, subject=result_subject(batch, "*"), next=True
                )
            except NotFoundError:
                return
            after = message.seq or after + 1
            yield WorkResult(after, (message.subject or "").rpartition(".")[2], message.data or b"")

    async def tell(self, batch: str, progress: bytes) -> None:
        """Tell those that hear now how far a piece is."""
        await self.cell.nc.publish(progress_subject(batch), progress)

    async def hear(self, batch: str, on_progress: Callable[[bytes], None]) -> None:
        """Get what workers tell from now on."""

        async def on_message(message: Msg) -> None:
            on_progress(message.data)

        await self.cell.nc.subscribe(progress_subject(batch), cb=on_message)

    async def forget_result(self, batch: str, key: str) -> None:
        """Remove a result, so that the piece can be done again."""
        await self.cell.jsm.purge_stream(RESULTS, subject=result_subject(batch, key))

    async def remove(self, batch: str) -> None:
        """Remove a batch: its pieces, its results."""
        with suppress(NotFoundError):
            await self.cell.jsm.delete_consumer(WORK, batch)
        await self.cell.jsm.purge_stream(WORK, subject=work_subject(batch, "*"))
        await self.cell.jsm.purge_stream(RESULTS, subject=result_subject(batch, "*"))


async def _put(cell: Cell, stream: str, subject: str, data: bytes) -> None:
    js: JetStreamContext = cell.js
    try:
        await js.publish(subject, data, stream=stream, headers={Header.MSG_ID: subject})
    except APIError as error:
        if error.err_code != ALREADY_THERE:
            raise
