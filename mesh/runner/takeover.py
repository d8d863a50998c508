"""Takes over what an instance that is gone had in hand, long before the server would hand it on.

What was delivered and not acknowledged, the server delivers again after `ack_wait`. That must be long, lest
what is only slow be done twice. So each instance looks whether anybody has the oldest such message in hand.
If not, it is handed back to the server as its holder would have done: it is delivered again at once, and its
tries are counted. One at a time, in order: a message that ends its service each time takes no other with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass

import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import SequenceInfo
from nats.js.errors import NotFoundError

from mesh.errors import BusUnreachable, NotAllowed
from mesh.nats.connection import reason_of
from mesh.nats.subjects import STREAM, holding_subject, wildcard
from mesh.runner.consumer import Consumer
from schemas.base import Kind

LOOK = 0.25
"""Seconds between two looks. What nobody claims twice in a row is nobody's."""

SOON = 0.03
"""Seconds until the next look where something has just been handed back: there may be more."""

CLAIM = 0.15
"""Seconds within which an instance says that it has a message in hand."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _State:
    """How far the consumer is."""

    open: int
    """Messages that were delivered and not acknowledged."""
    floor: int
    """Everything up to this sequence number was acknowledged."""
    last: int
    """The last sequence number that was delivered."""
    deliveries: int
    """Delivered so far, each repetition counted."""


class Takeover:
    """For the durable consumer of a whole cell; that of a single session has one instance alone."""

    def __init__(self, consumer: Consumer, held: Callable[[], Collection[int]]) -> None:
        """`held`: the sequence numbers of what this instance has in hand."""
        self.cell, self.consumer, self._held = consumer.cell, consumer, held
        self._subject = holding_subject(self.cell.name, self.cell.me.name)
        self._left_behind = self._suspect = self._handed = 0
        self._pause = LOOK
        self._stopped = False

    async def open(self) -> None:
        """Before the first message is asked for: where nobody else is there, what is open is nobody's."""
        if not self.consumer.shared:
            return
        alone = await self._alone()
        await self.cell.nc.subscribe(self._subject, cb=self._asked)
        if alone:
            self._left_behind = (await self._state()).last
            await self._look()

    def stop(self) -> None:
        """Take over no more. (A cancellation alone may be lost: `asyncio.wait_for` can swallow one.)"""
        self._stopped = True

    async def watch(self) -> None:
        """Look again and again, until `stop`."""
        while self.consumer.shared and not self._stopped:
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, LOOK)
            try:
                await self._look()
            except (NatsError, OSError, BusUnreachable, NotAllowed) as error:
                # the server is away, or the consumer: the inbox sees to it
                log.debug("takeover_blind", error=reason_of(error))

    async def _look(self) -> None:
        oldest = await self._oldest()
        if oldest is None or oldest in self._held():
            return
        if not self._handed < oldest <= self._left_behind:
            if await self._claimed(oldest):
                return
            suspected, self._suspect = self._suspect, oldest
            if oldest != suspected:
                return
        await self._hand_back(oldest)

    async def _oldest(self) -> int | None:
        """The oldest message that was delivered and not acknowledged: the first of ours above the floor."""
        state = await self._state()
        if not state.open:
            return None
        above = [await self._first_after(state.floor, kind) for kind in self.consumer.kinds]
        return min((sequence for sequence in above if sequence and sequence <= state.last), default=None)

    async def _first_after(self, sequence: int, kind: Kind) -> int | None:
        """One of the permitted users may read the last one alone: an older one is left to `ack_wait`."""
        subject = wildcard(self.cell.name, "*", kind)
        after = None if self.cell.events.user else sequence + 1
        try:
            held = await self.cell.jsm.get_msg(STREAM, after, subject, direct=True, next=after is not None)
        except NotFoundError:
            return None
        return held.seq if (held.seq or 0) > sequence else None

    async def _hand_back(self, sequence: int) -> None:
        """Refuse the message as its holder would have: on the subject that acknowledges it."""
        state = await self._state()
        subject = f"$JS.ACK.{STREAM}.{self.consumer.durable}.1.{sequence}.{state.deliveries}.0.0"
        await self.cell.nc.publish(subject, b"-NAK")
        if sequence != self._handed:
            log.info("taken_over", service=self.cell.me.name, sequence=sequence)
            self._handed, self._pause = sequence, SOON

    async def _state(self) -> _State:
        info = await self.cell.jsm.consumer_info(STREAM, self.consumer.durable)
        floor, delivered = info.ack_floor or SequenceInfo(0, 0), info.delivered or SequenceInfo(0, 0)
        return _State(
            info.num_ack_pending or 0, floor.stream_seq, delivered.stream_seq, delivered.consumer_seq
        )

    # -- the other instances

    async def _alone(self) -> bool:
        try:
            await self.cell.nc.request(self._subject, b"0", timeout=CLAIM)
        except NoRespondersError:
            return True
        except NatsTimeout:
            return False
        return False

    async def _claimed(self, sequence: int) -> bool:
        """Whether another instance says that it has a message in hand."""
        try:
            await self.cell.nc.request(self._subject, str(sequence).encode(), timeout=CLAIM)
        except (NoRespondersError, NatsTimeout):
            return False
        return True

    async def _asked(self, question: Msg) -> None:
        if question.data.isdigit() and int(question.data) in self._held():
            await question.respond(b"")
