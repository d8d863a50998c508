"""Recorded steps for the tests: only what a test is about has to be said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mesh.nats.codec import trace_id
from mesh.nats.subjects import Address, message_id
from mesh.record.step_messages import StepMessages
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope, ServiceRef
from schemas.fragment import FragmentGiven, Section
from schemas.game import StepTaken
from tests.support.scenes.builders import a_session, a_step

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def said(message: Message, by: str = "game", *, session: str = "s1", cause: str | None = None) -> Envelope:
    return Envelope(
        version=message.version,
        kind=message.kind,
        cell="main",
        session=session,
        step=message.step,
        service=ServiceRef(name=by, version="1.0.0", instance="a"),
        cause=cause,
        time=BEGIN + timedelta(seconds=message.step),
        trace_id=trace_id(session, message.step),
        body=message,
    )


def a_moment(step: StepTaken, *others: Envelope) -> StepMessages:
    return StepMessages(step.step, (said(step), *others))


def a_fragment(number: int, text: str, by: str = "narrator") -> Envelope:
    return said(FragmentGiven(step=number, sections=(Section(name="s", text=text),)), by)


def a_proposed(number: int, action: str) -> Envelope:
    return said(ActionProposed(step=number, action=action, policy="heuristic", reason="so"), "actor")


def a_verdict(number: int, action: str, proposed: str | None = None) -> Envelope:
    return said(
        ActionJudged(
            step=number,
            action=action,
            proposed=proposed or action,
            decision=Decision.APPROVE if proposed in (None, action) else Decision.SUBSTITUTE,
            score=0.0,
            reason="so",
            by="critic",
        ),
        "critic",
    )


def a_walk(steps: int, *, scores: dict[int, int] | None = None) -> list[StepMessages]:
    """A session of so many actions: each goes north, in a room of its own."""
    score, moments = 0, []
    for number in range(steps + 1):
        score = (scores or {}).get(number, score)
        step = a_step(number, "north" if number else None, room=f"Room {number}", score=score)
        others = [] if number == steps else [a_proposed(number, "north"), a_verdict(number, "north")]
        moments.append(a_moment(step, *others))
    started = said(a_session(steps=steps))
    return [StepMessages(0, (started, *moments[0].messages)), *moments[1:]]


def with_causes(moments: list[StepMessages]) -> list[Envelope]:
    """The messages of a session, each with the cause that a mesh gives it."""
    told = (message for moment in moments for message in moment.messages)
    return [message.model_copy(update={"cause": _cause(message)}) for message in told]


def _cause(message: Envelope) -> str | None:
    number = message.step
    before = {
        Kind.STEP: (Kind.VERDICT, number - 1) if number else (Kind.STARTED, 0),
        Kind.FRAGMENT: (Kind.STEP, number),
        Kind.PROPOSAL: (Kind.STEP, number),
        Kind.VERDICT: (Kind.PROPOSAL, number),
    }.get(message.kind)
    return message_id(Address("main", message.session, *before)) if before else None
