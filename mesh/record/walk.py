"""A recorded session walked through step by step."""

from __future__ import annotations

from collections.abc import AsyncIterator

from nats.js.api import RawStreamMsg

from mesh.nats.codec import message_in
from mesh.nats.subjects import address_of, record_of
from mesh.record.batches import raw_messages
from mesh.record.reader import RecordReader
from mesh.record.step_messages import StepMessages
from schemas.base import Kind


async def walk(
    reader: RecordReader, session: str, first: int = 0, last: int | None = None
) -> AsyncIterator[StepMessages]:
    """The moments of a session of the reader's cell, in order; those before `first` hold their step alone.

    What came late stands with the step it is about, so all is read before the first moment is given; it is
    decoded as it is given. What cannot be decoded is left out.
    """
    held: dict[int, list[RawStreamMsg]] = {}
    async for each in raw_messages(reader.cell, record_of(reader.cell.name, session)):
        place = address_of(each.subject or "")
        if place is None or (last is not None and place.step > last):
            continue
        if place.step >= first or place.kind is Kind.STEP:
            held.setdefault(place.step, []).append(each)
    for number in sorted(held):
        messages = (message_in(each.subject, each.data) for each in held.pop(number))
        yield StepMessages(number, tuple(message for message in messages if message is not None))
