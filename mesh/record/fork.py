"""A copy of a session's record up to a step, from which another session goes on; the parent is only read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from nats.js.api import RawStreamMsg

from mesh.errors import InputError, SessionRefused, SessionTaken, SessionUnknown
from mesh.nats.codec import encode, envelope_address, message_in, trace_id
from mesh.nats.subjects import Address, message_id, record_of, subject_of
from mesh.record import archive
from mesh.record.archive import KeptMessage
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import Ancestor, SessionStarted, StepTaken


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """What a fork is to be; None: as its parent is at that step."""

    session: str
    cell: str
    at: int
    """The last step that is copied."""
    steps: int | None = None
    """Further actions."""
    policy: str | None = None
    seed: int | None = None
    """Of the policies; the story's own chance stays its parent's, or its past would not come out again."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A session that could be: the messages of its past, and the start from which it goes on."""

    session: str
    cell: str
    past: tuple[KeptMessage, ...]
    started: SessionStarted


class StepUnknown(InputError):
    """The parent has no such step."""

    def __init__(self, session: str, at: int, last: int) -> None:
        super().__init__(f"The session {session!r} has steps 0 to {last}: it cannot be forked at {at}.")


async def planned(bus: Bus, parent: str, wish: ForkRequest) -> Fork:
    """The fork of a session of the bus's cell, as `write` would write it.

    Raises:
        SessionRefused: there is no such parent, its record is unfit, or the fork's id is taken.
        StepUnknown: the parent has no such step.
    """
    if await bus.in_cell(wish.cell).reader.started(wish.session) is not None:
        raise SessionTaken(wish.session)
    held = [each async for each in raw_messages(bus.cell, record_of(bus.cell.name, parent))]
    decoded = ((each, message_in(each.subject, each.data)) for each in held)
    envelopes = [(each, envelope) for each, envelope in decoded if envelope is not None]
    _check_steps(parent, wish.at, envelopes)
    begun = [envelope.body for _, envelope in envelopes if isinstance(envelope.body, SessionStarted)]
    in_force = [started for started in begun if started.step <= wish.at]
    if not in_force:
        raise SessionUnknown(parent)
    origin, copy = (
        bus.cell.address(parent, Kind.STEP, 0),
        Address(wish.cell, wish.session, Kind.STEP, 0),
    )
    past = tuple(
        _moved(raw, envelope, origin, copy) for raw, envelope in envelopes if _is_past(envelope, wish.at)
    )
    ancestors = _ancestors(begun[-1].ancestors, parent, wish.at)
    return Fork(wish.session, wish.cell, past, _started(in_force[-1], ancestors, wish))


async def write(bus: Bus, fork: Fork) -> None:
    """Put a fork into the record, all or nothing; it goes on as any session does that is resumed.

    Raises:
        SessionTaken: its id has been taken meanwhile.
    """
    there = bus.in_cell(fork.cell)
    envelope = there.writer.envelope(fork.session, fork.started, None)
    address = envelope_address(envelope)
    begins = KeptMessage(subject_of(address), message_id(address), encode(envelope))
    await archive.store(there.writer, fork.session, [*fork.past, begins])


async def was_taken_up(bus: Bus, fork: Fork) -> bool:
    """Whether a game service goes on with a fork, or has done so."""
    begun = await bus.in_cell(fork.cell).reader.newest(fork.session, Kind.STARTED)
    return begun is not None and begun.service != bus.cell.me


async def discard(bus: Bus, fork: Fork) -> None:
    """Remove a fork."""
    await bus.in_cell(fork.cell).writer.delete(fork.session)


def _check_steps(parent: str, at: int, envelopes: Iterable[tuple[RawStreamMsg, Envelope]]) -> None:
    numbers = {envelope.step for _, envelope in envelopes if isinstance(envelope.body, StepTaken)}
    if not numbers:
        raise SessionRefused(f"The session {parent!r} has no step yet: it cannot be forked.")
    if not 0 <= at <= max(numbers):
        raise StepUnknown(parent, at, max(numbers))
    missing = next((number for number in range(at + 1) if number not in numbers), None)
    if missing is not None:
        raise SessionRefused(
            f"Step {missing} of {parent!r} cannot be read. See `lantern sessions verify {parent}`."
        )


def _is_past(envelope: Envelope, at: int) -> bool:
    """Of the last step, what was said about it is not: the fork says it anew."""
    return envelope.step < at or (envelope.step == at and envelope.kind is Kind.STEP)


def _moved(raw: RawStreamMsg, envelope: Envelope, origin: Address, copy: Address) -> KeptMessage:
    """A message as the copy's; its body stays as it is, fields of a newer version included."""
    here = replace(envelope_address(envelope), cell=copy.cell, session=copy.session)
    told: dict[str, Any] = json.loads(raw.data or b"")
    told |= {"cell": here.cell, "session": here.session, "trace_id": trace_id(here.session, here.step)}
    if envelope.cause is not None:
        before, after = (f"{address.cell}.{address.session}." for address in (origin, copy))
        own = envelope.cause.startswith(before)
        told["cause"] = after + envelope.cause.removeprefix(before) if own else envelope.cause
    return KeptMessage(subject_of(here), message_id(here), json.dumps(told, ensure_ascii=False).encode())


def _ancestors(older: Iterable[Ancestor], parent: str, at: int) -> tuple[Ancestor, ...]:
    kept = (Ancestor(session=each.session, step=min(each.step, at)) for each in older)
    return (*kept, Ancestor(session=parent, step=at))


def _started(parent: SessionStarted, ancestors: tuple[Ancestor, ...], wish: ForkRequest) -> SessionStarted:
    """The parent's start that holds at the step, with what the wish changes."""
    seed = parent.policy_seed if wish.seed is None else wish.seed
    return parent.model_copy(
        update={
            "step": wish.at,
            "steps": parent.steps if wish.steps is None else wish.at + wish.steps,
            "policy": wish.policy or parent.policy,
            "policy_seed": None if seed == parent.seed else seed,
            "resumed": True,
            "ancestors": ancestors,
        }
    )
