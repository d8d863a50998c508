"""The spans of a trace, made from messages alone: no id is random, so who reads a record makes the same.

A trace is a step. A message is a `publish` span; each service that reacts to it adds a `process` span below,
and what it publishes in turn stands below that. The step itself is the root, linked to the verdict before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mesh.nats.codec import place_named_by, trace_id
from mesh.nats.subjects import ROOT, address_of, message_id
from schemas.envelope import Envelope, ServiceRef

STORED = "stored"
"""The outcome of the one publish of a message that is the message's span."""


@dataclass(frozen=True, slots=True)
class SpanAt:
    """Which span of which trace."""

    trace: int
    span: int


@dataclass(frozen=True, slots=True)
class Span:
    """Something that a service did, from `start` to `end` (nanoseconds since 1970)."""

    name: str
    by: ServiceRef
    at: SpanAt
    above: SpanAt | None
    """What led to it, if that is in the same trace."""
    linked: SpanAt | None
    """What led to it, if that is in another."""
    start: int
    end: int
    attributes: Mapping[str, str | int]
    fault: str | None = None


def published(envelope: Envelope, start: int, end: int, outcome: str, fault: str | None = None) -> Span:
    """A message was sent to the record, with that outcome."""
    name = message_id(place_named_by(envelope))
    key = name if outcome == STORED else f"{name}/{envelope.service.instance}/{start}"
    led = _process_at(envelope.cause, envelope.service.name) if envelope.cause else None
    return _span("publish", envelope, envelope.service, key, led, (start, end), outcome, fault)


def processed(envelope: Envelope, by: ServiceRef, start: int, end: int, fault: str | None = None) -> Span:
    """A service reacted to a message; where it failed, `fault` says how, and it may do so again."""
    name = message_id(place_named_by(envelope))
    key = f"{name}/{by.name}" if fault is None else f"{name}/{by.name}/{start}"
    led = SpanAt(int(envelope.trace_id, 16), _number(name))
    return _span("process", envelope, by, key, led, (start, end), "failed" if fault else "handled", fault)


def recorded(messages: Iterable[Envelope]) -> Iterator[Span]:
    """The spans that a record tells of, with the ids and parents that they had when it was made.

    A record has no times but those of its messages: a publish takes none, and a reaction lasts from what led
    to it to its last answer; one that answered nothing is not known.
    """
    known: dict[str, Envelope] = {}
    answered: dict[tuple[str, str], Envelope] = {}
    for envelope in messages:
        known[message_id(place_named_by(envelope))] = envelope
        if envelope.cause in known:
            answered[envelope.cause, envelope.service.name] = envelope
        yield published(envelope, _time(envelope), _time(envelope), STORED)
    for (cause, _), last in answered.items():
        led = known[cause]
        yield processed(led, last.service, _time(led), _time(last))


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
        above=led if same else None,
        linked=None if same else led,
        start=times[0],
        end=max(times),
        attributes={
            "messaging.system": "nats",
            "messaging.operation.name": verb,
            "messaging.message.id": message_id(place_named_by(envelope)),
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
    """Where a service reacted to the message of that id."""
    place = address_of(f"{ROOT}.{cause}")
    if place is None:
        return None
    return SpanAt(int(trace_id(place.session, place.step), 16), _number(f"{cause}/{service}"))


def _number(key: str) -> int:
    """64 bits, and never 0, which is no span."""
    return int.from_bytes(hashlib.md5(key.encode(), usedforsecurity=False).digest()[:8], "big") or 1
