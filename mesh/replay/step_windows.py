"""Divides a record into one window for each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mesh.record.step_messages import StepMessages, step_messages_in
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
    following: StepMessages | None
    """All messages about the next step; None: the record has none."""
    complete: bool
    """Whether the session continued, or had used its budget; otherwise the record breaks off here."""

    @property
    def number(self) -> int:
        """The step's number."""
        return self.step_messages.number


def step_windows_in(messages: Iterable[Envelope]) -> list[StepWindow]:
    """The windows of a record; messages before the first step belong to the first window."""
    recorded = list(messages)
    by_step = {about.number: about for about in step_messages_in(recorded)}
    parts: list[list[Envelope]] = [[]]
    seen_step = False
    for message in recorded:
        if message.kind is Kind.STEP and seen_step:
            parts.append([])
        seen_step = seen_step or message.kind is Kind.STEP
        parts[-1].append(message)
    return [_window(part, by_step, is_last=part is parts[-1]) for part in parts if part]


def in_order(window: StepWindow) -> tuple[Envelope, ...]:
    """The messages of a window in the record's order, after all replies of models about its step."""
    replies = (message for message in window.step_messages.messages if message.kind is Kind.MODEL)
    return (*replies, *(message for message in window.messages if message.kind is not Kind.MODEL))


def could_have_published(window: StepWindow, service: str, kind: Kind) -> bool:
    """Whether the service could have published such a message, although the record has none.

    A fragment service could if the actor missed its fragment and still expected one a step later. Other
    services could not if the record breaks off here, or if another service was first on the subject.
    """
    if kind is Kind.FRAGMENT:
        return _missed(window.step_messages, service) and not _has_left(window.following, service)
    return window.complete and window.step_messages.of(kind) is None


def _missed(about: StepMessages, service: str) -> bool:
    proposal = about.of(Kind.PROPOSAL)
    return (
        proposal is not None
        and isinstance(proposal.body, ActionProposed)
        and service in proposal.body.missing
    )


def _has_left(following: StepMessages | None, service: str) -> bool:
    """Whether the next proposal does not name the service any more."""
    proposal = following.of(Kind.PROPOSAL) if following else None
    if proposal is None or not isinstance(proposal.body, ActionProposed):
        return False
    used = {each.service for each in proposal.body.fragments}
    return service not in used.union(proposal.body.missing)


def _window(part: Sequence[Envelope], by_step: Mapping[int, StepMessages], *, is_last: bool) -> StepWindow:
    step = next((message for message in part if message.kind is Kind.STEP), part[0])
    spent = any(isinstance(m.body, SessionEnded) and m.body.reason is EndReason.BUDGET for m in part)
    return StepWindow(
        tuple(part), by_step[step.step], by_step.get(step.step + 1), complete=spent or not is_last
    )
