"""Spans are made from messages alone: who reads them makes the same."""

from __future__ import annotations

from datetime import UTC, datetime

from mesh.nats.codec import envelope_address, trace_id
from mesh.nats.subjects import message_id
from mesh.observability.spans import process_span, publish_span
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope, ServiceRef
from tests.support.scenes.builders import a_step


def by(name: str, instance: str = "i1") -> ServiceRef:
    return ServiceRef(name=name, version="1.0.0", instance=instance)


def an_envelope(body: Message, service: ServiceRef, cause: str | None = None) -> Envelope:
    return Envelope(
        version="1.0",
        kind=body.kind,
        cell="main",
        session="s",
        step=body.step,
        service=service,
        cause=cause,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        trace_id=trace_id("s", body.step),
        body=body,
    )


def a_verdict(step: int) -> ActionJudged:
    return ActionJudged(
        step=step, action="n", proposed="n", decision=Decision.APPROVE, score=0.0, reason="", by="critic"
    )


def test_what_a_service_publishes_stands_below_what_it_reacted_to() -> None:
    step = an_envelope(a_step(4), by("game"))
    name = message_id(envelope_address(step))
    verdict = an_envelope(a_verdict(4), by("critic"), cause=name)

    sent = publish_span(step, 1, 2, "stored")
    reacted = process_span(step, by("critic"), 2, 5)
    answered = publish_span(verdict, 3, 4, "stored")

    assert sent.parent is None
    assert reacted.parent == sent.at
    assert answered.parent == reacted.at
    assert {span.at.trace for span in (sent, reacted, answered)} == {int(trace_id("s", 4), 16)}


def test_a_step_begins_a_trace_with_a_link_to_the_verdict_before() -> None:
    verdict = an_envelope(a_verdict(4), by("critic"))
    step = an_envelope(a_step(5), by("game"), cause=message_id(envelope_address(verdict)))

    sent = publish_span(step, 1, 2, "stored")

    assert sent.parent is None
    assert sent.link == process_span(verdict, by("game"), 1, 2).at


def test_ids_are_the_same_in_every_process_and_differ_between_services() -> None:
    step = an_envelope(a_step(4), by("game"))

    assert process_span(step, by("hint"), 1, 2).at == process_span(step, by("hint", "i2"), 3, 4).at
    assert process_span(step, by("hint"), 1, 2).at != process_span(step, by("actor"), 1, 2).at


def test_a_publish_that_came_second_and_a_failed_attempt_have_ids_of_their_own() -> None:
    step = an_envelope(a_step(4), by("game"))

    assert publish_span(step, 1, 2, "lost").at != publish_span(step, 1, 2, "stored").at
    failed = process_span(step, by("hint"), 1, 2, "ValueError: no")
    assert failed.at not in (
        process_span(step, by("hint"), 1, 2).at,
        process_span(step, by("hint"), 5, 6, "no").at,
    )
    assert failed.fault == "ValueError: no"
    assert failed.attributes["lantern.outcome"] == "failed"
