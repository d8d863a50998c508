"""Groups a session's record by step: each step with all messages about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.base import Kind
from schemas.envelope import Envelope


@dataclass(frozen=True, slots=True)
class StepMessages:
    """The messages about one step, in the record's order: the step, fragments, the proposal, the verdict."""

    number: int
    messages: tuple[Envelope, ...]

    def of(self, kind: Kind, service: str | None = None) -> Envelope | None:
        """The last message of a kind (by a service, where each has its own); None: there is none."""
        found = [
            message
            for message in self.messages
            if message.kind is kind and service in (None, message.service.name)
        ]
        return found[-1] if found else None


def step_messages_in(messages: Iterable[Envelope]) -> list[StepMessages]:
    """The messages of a record by step; a late fragment belongs to the step that it is about."""
    by_step: dict[int, list[Envelope]] = {}
    for message in messages:
        by_step.setdefault(message.step, []).append(message)
    return [StepMessages(step, tuple(by_step[step])) for step in sorted(by_step)]
