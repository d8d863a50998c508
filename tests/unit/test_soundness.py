"""What a whole record has, and what is said of one that has not."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.nats.codec import encode, envelope_address
from mesh.nats.subjects import subject_of
from mesh.record.integrity import RecordAudit
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import EndReason, SessionEnded
from tests.support.scenes.moment_builders import a_verdict, a_walk, said, with_causes


def a_record(steps: int = 4) -> list[Envelope]:
    return [*with_causes(a_walk(steps)), said(SessionEnded(step=steps, reason=EndReason.BUDGET))]


def audit_of(messages: list[Envelope], *others: tuple[str, bytes]) -> RecordAudit:
    audit = RecordAudit()
    for message in messages:
        audit.note(subject_of(envelope_address(message)), encode(message))
    for subject, data in others:
        audit.note(subject, data)
    return audit


def faults(messages: list[Envelope], *others: tuple[str, bytes]) -> list[tuple[int | None, str]]:
    return [(fault.step, fault.what) for fault in audit_of(messages, *others).faults()]


def without(kind: Kind, step: int) -> list[Envelope]:
    return [message for message in a_record() if (message.kind, message.step) != (kind, step)]


def changed(kind: Kind, step: int, **fields: Any) -> list[Envelope]:
    return [
        message.model_copy(update={"body": message.body.model_copy(update=fields)})
        if (message.kind, message.step) == (kind, step)
        else message
        for message in a_record()
    ]


def test_a_whole_record_has_no_faults() -> None:
    audit = audit_of(a_record())

    assert audit.faults() == []
    assert [step.step for step in audit.taken()] == [0, 1, 2, 3, 4]
    assert audit.last == 4


@pytest.mark.parametrize(
    ("kind", "step", "told"),
    [
        (Kind.STEP, 2, (2, "the step is missing")),
        (Kind.PROPOSAL, 1, (1, "the proposal is missing")),
        (Kind.VERDICT, 3, (3, "the verdict is missing")),
        (Kind.STARTED, 0, (None, "there is no readable start")),
    ],
)
def test_what_is_missing_is_named(kind: Kind, step: int, told: tuple[int | None, str]) -> None:
    assert told in faults(without(kind, step))


def test_the_steps_before_a_gap_can_be_played_again() -> None:
    assert [step.step for step in audit_of(without(Kind.STEP, 2)).taken()] == [0, 1]


@pytest.mark.parametrize(
    ("kind", "step", "fields", "told"),
    [
        (
            Kind.STEP,
            2,
            {"action": "south"},
            (2, "its action is not the one that the verdict before it names"),
        ),
        (
            Kind.PROPOSAL,
            2,
            {"action": "east"},
            (2, "the verdict is about another action than the one proposed"),
        ),
        (
            Kind.VERDICT,
            2,
            {"proposed": "east"},
            (2, "the verdict approves, but names another action than the one proposed"),
        ),
        (Kind.STARTED, 0, {"steps": 9}, (4, "the end says that the budget of 9 steps is used up")),
    ],
)
def test_messages_that_do_not_fit_each_other_are_named(
    kind: Kind, step: int, fields: dict[str, Any], told: tuple[int, str]
) -> None:
    assert told in faults(changed(kind, step, **fields))


def test_an_end_elsewhere_than_after_the_last_step_is_named() -> None:
    record = [*a_record()[:-1], said(SessionEnded(step=3, reason=EndReason.STOPPED))]

    assert faults(record) == [(3, "the session ended here, but its last step is 4")]


def test_a_cause_that_cannot_be_is_named() -> None:
    record = [
        message.model_copy(update={"cause": "main.s1.step.0"})
        if (message.kind, message.step) == (Kind.VERDICT, 2)
        else message
        for message in a_record()
    ]

    assert faults(record) == [(2, "the verdict names main.s1.step.0 as its cause, which is wrong")]


def test_rubbish_dead_letters_and_what_follows_the_last_step_are_named() -> None:
    stray = ("lantern.main.s1.verdict.7", encode(a_verdict(7, "north")))
    rubbish = ("lantern.main.s1.fragment.1.hint", b"\x1b[31m")
    letter = ("lantern.main.s1.dead.hint.12", b"{}")

    found = faults(a_record(), stray, rubbish, letter)

    assert (None, "there is a dead letter on lantern.main.s1.dead.hint.12") in found
    assert any(step == 1 and "hint cannot be read: " in what and "Not JSON" in what for step, what in found)
    assert (7, "there are messages about the step, but the step is missing") in found


def test_an_end_that_a_resume_follows_is_none() -> None:
    record = a_record()
    started = record[0].body.model_copy(update={"resumed": True, "step": 4, "steps": 9})  # type: ignore[union-attr]

    assert audit_of([*record, said(started)]).ended is None
    assert faults([*record, said(started)]) == []
