"""Copies a session's record up to a step into a new session, which continues from there."""

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
from mesh.record.archive import ArchivedMessage
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import HUMAN, Ancestor, SessionStarted, StepTaken


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """The fork that is wanted; None: the parent's value at that step."""

    session: str
    cell: str
    at: int
    """The last step that is copied."""
    steps: int | None = None
    """Further actions."""
    policy: str | None = None
    seed: int | None = None
    """The seed of the policies. The emulator keeps its parent's, so the copied steps stay reproducible."""
    action: str | None = None
    """What a person wants to be done first; None: the policy decides."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A planned fork: the copied messages, and the start from which it continues."""

    session: str
    cell: str
    past: tuple[ArchivedMessage, ...]
    started: SessionStarted
    typed: ActionProposed | None = None
    """What a person wants to be done first."""


class StepUnknown(InputError):
    """The parent has no such step."""

    def __init__(self, session: str, at: int, last: int) -> None:
        super().__init__(f"The session {session!r} has steps 0 to {last}: it cannot be forked at {at}.")


async def plan_fork(bus: Bus, parent: str, request: ForkRequest) -> Fork:
    """Plan the fork of a session of the bus's cell; `write` stores it.

    Raises:
        SessionRefused: there is no such parent, its record is unusable, or the fork's id is taken.
        StepUnknown: the parent has no such step.
    """
    if await bus.in_cell(request.cell).reader.started(request.session) is not None:
        raise SessionTaken(request.session)
    record = [each async for each in raw_messages(bus.cell, record_of(bus.cell.name, parent))]
    decoded = ((each, message_in(each.subject, each.data)) for each in record)
    envelopes = [(each, envelope) for each, envelope in decoded if envelope is not None]
    _check_steps(parent, request.at, envelopes)
    starts = [envelope.body for _, envelope in envelopes if isinstance(envelope.body, SessionStarted)]
    in_force = [started for started in starts if started.step <= request.at]
    if not in_force:
        raise SessionUnknown(parent)
    origin, copy = (
        bus.cell.address(parent, Kind.STEP, 0),
        Address(request.cell, request.session, Kind.STEP, 0),
    )
    past = tuple(
        _moved(raw, envelope, origin, copy) for raw, envelope in envelopes if _is_past(envelope, request.at)
    )
    ancestors = _ancestors(starts[-1].ancestors, parent, request.at)
    started = _started(in_force[-1], ancestors, request)
    return Fork(request.session, request.cell, past, started, _typed(request))


async def write(bus: Bus, fork: Fork) -> None:
    """Store a fork in the record, all or nothing; it then continues like any session that is resumed.

    Raises:
        SessionTaken: its id has been taken meanwhile.
    """
    writer = bus.in_cell(fork.cell).writer
    messages = [*fork.past]
    for message in filter(None, (fork.typed, fork.started)):
        envelope = writer.envelope(fork.session, message, None)
        address = envelope_address(envelope)
        messages.append(ArchivedMessage(subject_of(address), message_id(address), encode(envelope)))
    await archive.store(writer, fork.session, messages)


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
    """Whether a message is copied. Of the last step only the step itself is: the fork decides it anew.

    Who had the controls of the parent does not count in the fork.
    """
    if envelope.kind is Kind.CONTROLS:
        return False
    return envelope.step < at or (envelope.step == at and envelope.kind is Kind.STEP)


def _moved(raw: RawStreamMsg, envelope: Envelope, origin: Address, copy: Address) -> ArchivedMessage:
    """The message with the copy's address; its body is unchanged, even fields of a newer version."""
    here = replace(envelope_address(envelope), cell=copy.cell, session=copy.session)
    fields: dict[str, Any] = json.loads(raw.data or b"")
    fields |= {"cell": here.cell, "session": here.session, "trace_id": trace_id(here.session, here.step)}
    if envelope.cause is not None:
        before, after = (f"{address.cell}.{address.session}." for address in (origin, copy))
        own = envelope.cause.startswith(before)
        fields["cause"] = after + envelope.cause.removeprefix(before) if own else envelope.cause
    return ArchivedMessage(
        subject_of(here), message_id(here), json.dumps(fields, ensure_ascii=False).encode()
    )


def _typed(request: ForkRequest) -> ActionProposed | None:
    if request.action is None:
        return None
    return ActionProposed(step=request.at, action=request.action, policy=HUMAN, reason="typed by hand")


def _ancestors(older: Iterable[Ancestor], parent: str, at: int) -> tuple[Ancestor, ...]:
    earlier = (Ancestor(session=each.session, step=min(each.step, at)) for each in older)
    return (*earlier, Ancestor(session=parent, step=at))


def _started(parent: SessionStarted, ancestors: tuple[Ancestor, ...], request: ForkRequest) -> SessionStarted:
    """The parent's start in force at the step, with the changes of the request."""
    seed = parent.policy_seed if request.seed is None else request.seed
    return parent.model_copy(
        update={
            "step": request.at,
            "steps": parent.steps if request.steps is None else request.at + request.steps,
            "episodes": parent.episodes if request.steps is None else None,
            "policy": request.policy or parent.policy,
            "agent": "" if request.policy else parent.agent,
            "policy_seed": None if seed == parent.seed else seed,
            "resumed": True,
            "ancestors": ancestors,
        }
    )
