"""Reads the record for one service instance (a session is one ordered filter of the stream)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from nats.js.api import RawStreamMsg

from mesh.errors import BusAway, NobodyAnswers, SessionOver, SessionUnknown
from mesh.nats.cell import Cell
from mesh.nats.codec import message_in
from mesh.nats.requests import Requests
from mesh.nats.subjects import (
    REPLAYS,
    ROOT,
    STREAM,
    Address,
    address_of,
    checked_session,
    record_of,
    subject_of,
    wildcard,
)
from mesh.record import steps
from mesh.record.batches import last_raw, raw_messages
from schemas.actor import ControlsTaken
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken
from schemas.mesh import MessageRecalled, RecallMessage

PRIVILEGED_READER = "game"
"""The service that may delete outdated messages and read every message. If each service has a NATS user of
its own, the others may not even read what they published (see mesh/security/permissions.py)."""


def reads_own(cell: Cell) -> bool:
    """Whether this service may read the messages that it published."""
    return not cell.events.user == cell.me.name != PRIVILEGED_READER


@dataclass(frozen=True, slots=True)
class RecordReader:
    """The sessions of one cell."""

    cell: Cell
    step_reads: steps.StepReads = field(default_factory=steps.StepReads)
    """Shared by the services of one process."""

    async def raw(self, subject: str) -> RawStreamMsg | None:
        """The message on a subject of the record, or None."""
        return await last_raw(self.cell, subject)

    async def read(self, address: Address) -> Envelope | None:
        """The typed message at an address of the record, or None (also where it cannot be decoded)."""
        return await steps.read(self.cell, address)

    async def read_at(
        self, session: str, kind: Kind, step: int, service: str | None = None
    ) -> Envelope | None:
        """A session's message of a kind about a step (by a service, where each has its own)."""
        return await self.read(self.cell.address(session, kind, step, service))

    async def read_own(self, address: Address) -> Envelope | None:
        """A message that this service may have published; if it may not read it, it asks the game service.

        Raises:
            BusAway: the game service does not answer.
        """
        if reads_own(self.cell):
            return await self.read(address)
        question = RecallMessage(
            session=address.session,
            kind=address.kind,
            step=address.step,
            service=self.cell.me.name,
            call=address.call,
        )
        ask = Requests(self.cell).ask
        try:
            answer = await ask(
                PRIVILEGED_READER, "recall", question, MessageRecalled, session=address.session
            )
        except NobodyAnswers as error:
            raise BusAway(str(error)) from error
        return message_in(subject_of(address), answer.envelope.encode()) if answer.envelope else None

    async def subjects(self, pattern: str) -> list[str]:
        """The subjects of the record that a pattern matches, in no order; `pattern` may have wildcards."""
        info = await self.cell.jsm.stream_info(STREAM, subjects_filter=pattern)
        return list(info.state.subjects or ())

    async def holds(self, subject: str) -> bool:
        """Whether the record has a message on a subject; this needs no permission to read the message."""
        return bool(await self.subjects(subject))

    async def newest(self, session: str, kind: Kind) -> Envelope | None:
        """The newest message of a kind in a session; None: there is none, or it cannot be decoded."""
        raw = await self._newest_raw(session, kind)
        return message_in(raw.subject, raw.data) if raw else None

    async def started(self, session: str) -> SessionStarted | None:
        """The newest start of a session; None: it was never started."""
        envelope = await self.newest(session, Kind.STARTED)
        return envelope.body if envelope and isinstance(envelope.body, SessionStarted) else None

    async def is_begun(self, session: str) -> bool:
        """Whether a game service has begun a session, or resumed it: a fork is in the record before that."""
        newest = await self.newest(session, Kind.STARTED)
        return newest is not None and newest.service.name == "game"

    async def started_after(self, session: str, number: int) -> bool:
        """Whether the session was started or resumed after a sequence number (see `sequence`)."""
        newest = await self._newest_raw(session, Kind.STARTED)
        return newest is not None and (newest.seq or 0) > number

    async def end_of(self, session: str) -> Envelope | None:
        """The end of a session; None: it has not ended, or was resumed afterwards."""
        ended = await self._newest_raw(session, Kind.ENDED)
        if ended is None or await self.started_after(session, ended.seq or 0):
            return None
        return message_in(ended.subject, ended.data)

    async def under_way(self, session: str) -> SessionStarted:
        """The start of a session that has not ended.

        Raises:
            SessionUnknown: there is none of that id.
            SessionOver: it has ended.
        """
        started = await self.started(checked_session(session))
        if started is None:
            raise SessionUnknown(session)
        if await self.end_of(session) is not None:
            raise SessionOver(session)
        return started

    async def controls(self, session: str) -> ControlsTaken | None:
        """The change of hands that counts; None: the session's policy has had the controls since its end."""
        taken, ended = await asyncio.gather(
            self._newest_raw(session, Kind.CONTROLS), self._newest_raw(session, Kind.ENDED)
        )
        if taken is None or (ended is not None and (ended.seq or 0) > (taken.seq or 0)):
            return None
        envelope = message_in(taken.subject, taken.data)
        return envelope.body if envelope and isinstance(envelope.body, ControlsTaken) else None

    def steps(self, session: str, first: int = 0, last: int | None = None) -> AsyncIterator[StepTaken]:
        """The steps `first` to `last` (None: to the newest), in order, up to the first that is missing."""
        return self.step_reads.steps(self.cell, session, first, last)

    async def last_step(self, session: str) -> StepTaken | None:
        """The last recorded step; None: there is none."""
        envelope = await self.newest(session, Kind.STEP)
        if envelope is not None and isinstance(envelope.body, StepTaken):
            return envelope.body
        last = None  # the newest step is missing or cannot be decoded: use the last readable one
        async for step in self.steps(session):
            last = step
        return last

    async def of_kind(self, session: str, kind: Kind) -> AsyncIterator[Envelope]:
        """Every message of a kind whose subjects end with the service (also our own), in no order."""
        subjects = await self.subjects(wildcard(self.cell.name, session, kind))
        addresses = [address for address in map(address_of, subjects) if address is not None]
        for start in range(0, len(addresses), steps.BATCH):
            reads = (
                self.read_own(address) if address.service == self.cell.me.name else self.read(address)
                for address in addresses[start : start + steps.BATCH]
            )
            for envelope in await asyncio.gather(*reads):
                if envelope is not None:
                    yield envelope

    async def steps_answered(self, session: str, service: str) -> list[int]:
        """The numbers of the steps about which a service has published a fragment, in no order."""
        subjects = await self.subjects(f"{ROOT}.{self.cell.name}.{session}.{Kind.FRAGMENT}.*.{service}")
        return [address.step for address in map(address_of, subjects) if address is not None]

    async def messages(
        self, session: str, skip: Callable[[str, bytes], bool] | None = None
    ) -> AsyncIterator[Envelope]:
        """The typed messages of a session, in order; messages that cannot be decoded are left out.

        `skip`: of a subject and its bytes, whether a message need not be decoded.
        """
        async for raw in raw_messages(self.cell, record_of(self.cell.name, session)):
            if skip is not None and skip(raw.subject or "", raw.data or b""):
                continue
            if (envelope := message_in(raw.subject, raw.data)) is not None:
                yield envelope

    async def sessions(self, cell: str = "*", *, replays: bool = False) -> list[Envelope]:
        """The newest start of every session (or of every replay), in the order of the first starts."""
        found: dict[tuple[str, str], Envelope] = {}
        async for raw in raw_messages(self.cell, f"{ROOT}.{cell}.*.{Kind.STARTED}.*"):
            envelope = message_in(raw.subject, raw.data)
            if envelope is not None and envelope.cell.startswith(REPLAYS) == replays:
                found[envelope.cell, envelope.session] = envelope
        return list(found.values())

    async def find(self, session: str) -> Envelope:
        """The start of a session by its id: in this cell, else in any other.

        Raises:
            SessionUnknown: no session has that id.
        """
        starts = await self.sessions()
        found = [start for start in starts if start.session == session]
        if not found:
            raise SessionUnknown(session, {start.session for start in starts})
        return min(found, key=lambda start: start.cell != self.cell.name)

    async def sequence(self) -> int:
        """The stream's last sequence number."""
        return (await self.cell.jsm.stream_info(STREAM)).state.last_seq

    async def _newest_raw(self, session: str, kind: Kind) -> RawStreamMsg | None:
        return await self.raw(wildcard(self.cell.name, session, kind))
