"""Makes the spans of a trace from messages. All ids are derived, so a record gives the same spans later.

A trace is a step. Publishing a message is a `publish` span; each service that handles the message adds a
`process` span below it, and the messages it publishes in turn come below that. The step is the root span,
with a link to the verdict before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mesh.nats.codec import envelope_address, trace_id
from mesh.nats.subjects import ROOT, address_of, message_id
from schemas.envelope import Envelope, ServiceRef

STORED = "stored"
"""The outcome of the publish that becomes the message's span."""


@dataclass(frozen=True, slots=True)
class SpanAt:
    """The ids of a span and its trace."""

    trace: int
    span: int


@dataclass(frozen=True, slots=True)
class Span:
    """An operation of a service, from `start` to `end` (nanoseconds since 1970)."""

    name: str
    by: ServiceRef
    at: SpanAt
    parent: SpanAt | None
    """The span that caused it, if that is in the same trace."""
    link: SpanAt | None
    """The span that caused it, if that is in another trace."""
    start: int
    end: int
    attributes: Mapping[str, str | int]
    fault: str | None = None


def publish_span(envelope: Envelope, start: int, end: int, outcome: str, fault: str | None = None) -> Span:
    """The span of publishing a message to the record, with that outcome."""
    name = message_id(envelope_address(envelope))
    key = name if outcome == STORED else f"{name}/{envelope.service.instance}/{start}"
    led = _process_at(envelope.cause, envelope.service.name) if envelope.cause else None
    return _span("publish", envelope, envelope.service, key, led, (start, end), outcome, fault)


def process_span(envelope: Envelope, by: ServiceRef, start: int, end: int, fault: str | None = None) -> Span:
    """The span of handling a message; `fault`: the error, if it failed (it may be tried again)."""
    name = message_id(envelope_address(envelope))
    key = f"{name}/{by.name}" if fault is None else f"{name}/{by.name}/{start}"
    led = SpanAt(int(envelope.trace_id, 16), _number(name))
    return _span("process", envelope, by, key, led, (start, end), "failed" if fault else "handled", fault)


def spans_of_record(messages: Iterable[Envelope]) -> Iterator[Span]:
    """The spans of a record, with the ids and parents that they had live.

    A record has only the times of its messages. So a publish has no duration, and a `process` span lasts from
    the message that caused it to the last answer. Handling without an answer leaves no span.
    """
    known: dict[str, Envelope] = {}
    answered: dict[tuple[str, str], Envelope] = {}
    for envelope in messages:
        known[message_id(envelope_address(envelope))] = envelope
        if envelope.cause in known:
            answered[envelope.cause, envelope.service.name] = envelope
        yield publish_span(envelope, _time(envelope), _time(envelope), STORED)
    for (cause, _), last in answered.items():
        led = known[cause]
        yield process_span(led, last.service, _time(led), _time(last))


def _time(envelope: Envelope) -> int:
    """Nanoseconds since 1970."""
    return int(envelope.time.timestamp() * 1e9)


def _span(
    verb: str,
    envelope: Envelope,
    by: ServiceRef,
    key: str,
    led: SpanAt | None,
    times: tuple[int, int],
    outcome: str,
    fault: str | None,
) -> Span:
    at = SpanAt(int(envelope.trace_id, 16), _number(key))
    same = led is not None and led.trace == at.trace
    return Span(
        name=f"{verb} {envelope.kind}",
        by=by,
        at=at,
        parent=led if same else None,
        link=None if same else led,
        start=times[0],
        end=max(times),
        attributes={
            "messaging.system": "nats",
            "messaging.operation.name": verb,
            "messaging.message.id": message_id(envelope_address(envelope)),
            "lantern.cell": envelope.cell,
            "lantern.session": envelope.session,
            "lantern.step": envelope.step,
            "lantern.kind": envelope.kind.value,
            "lantern.service": by.name,
            "lantern.outcome": outcome,
        },
        fault=fault,
    )


def _process_at(cause: str, service: str) -> SpanAt | None:
    """The `process` span of a service for the message with that id."""
    address = address_of(f"{ROOT}.{cause}")
    if address is None:
        return None
    return SpanAt(int(trace_id(address.session, address.step), 16), _number(f"{cause}/{service}"))


def _number(key: str) -> int:
    """A span id of 64 bits; never 0, which is invalid."""
    return int.from_bytes(hashlib.md5(key.encode(), usedforsecurity=False).digest()[:8], "big") or 1
