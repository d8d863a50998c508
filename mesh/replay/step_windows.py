"""Divides a record into one window for each step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mesh.record.step_messages import StepMessages, step_messages_in
from mesh.replay.replayed_record import TOLD
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import EndReason, SessionEnded


@dataclass(frozen=True, slots=True)
class StepWindow:
    """The messages that the record holds from one step to the next."""

    messages: tuple[Envelope, ...]
    """In the record's order; late messages about earlier steps are among them."""
    step_messages: StepMessages
    """All messages about the step, wherever the record has them."""
    there: frozenset[str]
    """The sub-agents that were there: one instance has published both before the step and after it."""
    complete: bool
    """Whether the session continued, or had used its budget; otherwise the record breaks off here."""

    @property
    def number(self) -> int:
        """The step's number."""
        return self.step_messages.number


@dataclass(frozen=True, slots=True)
class _Span:
    """The first and the last step about which an instance of a sub-agent has published a fragment."""

    service: str
    first: int
    last: int


def step_windows_in(messages: Iterable[Envelope]) -> list[StepWindow]:
    """The windows of a record; messages before the first step belong to the first window."""
    recorded = list(messages)
    by_step = {about.number: about for about in step_messages_in(recorded)}
    spans = _spans(recorded)
    parts: list[list[Envelope]] = [[]]
    seen_step = False
    for message in recorded:
        if message.kind is Kind.STEP and seen_step:
            parts.append([])
        seen_step = seen_step or message.kind is Kind.STEP
        parts[-1].append(message)
    return [_window(part, by_step, spans, is_last=part is parts[-1]) for part in parts if part]


def in_order(window: StepWindow) -> tuple[Envelope, ...]:
    """The messages of a window in the record's order, after all that services were told about its step."""
    told = (message for message in window.step_messages.messages if message.kind in TOLD)
    return (*told, *(message for message in window.messages if message.kind not in TOLD))


def could_have_published(window: StepWindow, service: str, kind: Kind) -> bool:
    """Whether the service could have published such a message, although the record has none.

    A sub-agent could if the actor missed its fragment and it was there: one that has stopped is missing until
    it answers again. Other services could not if the record breaks off here, or if another service was first
    on the subject.
    """
    if kind is Kind.FRAGMENT:
        return service in window.there and _missed(window.step_messages, service)
    return window.complete and window.step_messages.of(kind) is None


def _missed(about: StepMessages, service: str) -> bool:
    proposal = about.of(Kind.PROPOSAL)
    return (
        proposal is not None
        and isinstance(proposal.body, ActionProposed)
        and service in proposal.body.missing
    )


def _window(
    part: Sequence[Envelope], by_step: Mapping[int, StepMessages], spans: Iterable[_Span], *, is_last: bool
) -> StepWindow:
    number = next((message for message in part if message.kind is Kind.STEP), part[0]).step
    spent = any(isinstance(m.body, SessionEnded) and m.body.reason is EndReason.BUDGET for m in part)
    there = frozenset(span.service for span in spans if span.first < number < span.last)
    return StepWindow(tuple(part), by_step[number], there, complete=spent or not is_last)


def _spans(messages: Iterable[Envelope]) -> list[_Span]:
    """From when to when each instance of the sub-agents was there; the first of each from the opening on."""
    answered: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for message in messages:
        if message.kind is Kind.FRAGMENT:
            answered[message.service.name].setdefault(message.service.instance, []).append(message.step)
    return [
        _Span(service, -1 if number == 0 else min(steps), max(steps))
        for service, instances in answered.items()
        for number, steps in enumerate(instances.values())
    ]
