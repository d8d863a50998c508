"""Assembles the fragments of a step, and waits for them no longer than the deadline."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from schemas.catalogue import PARTIES
from schemas.fragment import FragmentGiven
from services.actor.context.source import ActorContext


class MissedDeadlines:
    """The deadlines that services missed, in all sessions of an actor."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.total: Counter[str] = Counter()
        self._in_a_row: Counter[str] = Counter()
        self._proven: set[str] = set()
        """The services that have answered."""

    def add(self, services: Collection[str]) -> None:
        """These services have missed a deadline."""
        self.total.update(services)
        self._in_a_row.update(services)

    def has_answered(self, service: str) -> None:
        """The service is waited for again."""
        self._in_a_row.pop(service, None)
        self._proven.add(service)

    def is_waited_for(self, service: str, *, at_start: bool) -> bool:
        """A service that has missed `patience` deadlines in a row is not waited for.

        A sub-agent of the user's own that has never answered may be one that only says that it is live. It is
        waited for once if it was there `at_start`, when the session began, and else when it has answered.
        """
        is_known = service in PARTIES or service in self._proven
        return self._in_a_row[service] < (self.patience if is_known else int(at_start))


@dataclass(slots=True)
class FragmentAssembler:
    """The fragments of one session."""

    missed: MissedDeadlines
    step: int = -1
    expected: frozenset[str] = frozenset()
    """The services that should answer `step`."""
    at_start: frozenset[str] = frozenset()
    """The services that should answer the first step that this actor receives."""
    gone: frozenset[str] = frozenset()
    """The services that have stopped and have not answered since: they are missing, but not waited for."""
    answered: set[str] = field(default_factory=set)
    """The services that have answered `step`."""
    texts: dict[str, FragmentGiven] = field(default_factory=dict)
    """The newest message of each service that is not "unchanged"; else its oldest, which holds no text."""
    last: dict[str, int] = field(default_factory=dict)
    """The last step that each service has answered."""
    early: list[tuple[str, FragmentGiven]] = field(default_factory=list)
    """Answers to a step that this actor has not received yet."""
    refused: dict[str, int] = field(default_factory=dict)
    """The newest step about which each service has published an invalid fragment."""
    arrival: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, service: str, given: FragmentGiven) -> None:
        """A fragment has arrived: for the current step, for an earlier one, or before its step."""
        self.missed.has_answered(service)
        self.last[service] = max(given.step, self.last.get(service, -1))
        if given.step > self.step:
            self.early.append((service, given))
        else:
            self._take(service, given)

    def refuse(self, service: str, step: int) -> None:
        """The service's fragment for a step is invalid: it is missing, but not waited for."""
        self.refused[service] = max(step, self.refused.get(service, -1))
        self.arrival.set()

    def is_new(self) -> bool:
        """Whether no step of the session has begun here."""
        return self.step < 0

    def answered_at(self, step: int) -> frozenset[str] | None:
        """The services that have answered a step; None: another instance of the actor took that step."""
        return frozenset(self.answered) if self.step == step else None

    def begin(self, step: int, expected: Collection[str]) -> None:
        """A step is current, which these services should answer; some may have answered it already."""
        early, self.early = self.early, []
        self.at_start = frozenset(expected) if self.is_new() else self.at_start
        self.gone = (self.gone | self.expected) - self.answered - frozenset(expected)
        self.step, self.expected, self.answered = step, frozenset(expected), set()
        for service, given in early:
            self.note(service, given)

    def continues(self, service: str, step: int) -> bool:
        """Whether the service's answer to the step before is known, which an "unchanged" refers to."""
        return self.last.get(service, -1) >= step - 1

    def keep_text(self, service: str, given: FragmentGiven) -> None:
        """Keep what a service has said: its newest text, from a new message or from the record."""
        known = self.texts.get(service)
        if known is None or (not given.unchanged and given.step >= known.step):
            self.texts[service] = given

    async def wait(self, seconds: float) -> bool:
        """Whether all services that are waited for have answered within `seconds`."""
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while self._is_waiting():
                    self.arrival.clear()
                    await self.arrival.wait()
        except TimeoutError:
            return False
        return True

    def absent(self) -> tuple[str, ...]:
        """The services that should answer the current step and have not."""
        return tuple(sorted(self.expected - self.answered))

    def result(self) -> ActorContext:
        """The context now. It counts a missed deadline for each service that is missing."""
        absent = self.absent()
        self.missed.add(absent)
        missing = tuple(sorted({*absent, *(self.gone - self.answered)}))
        there = self.texts.keys() & (self.expected | self.answered)
        return ActorContext({service: self.texts[service] for service in sorted(there)}, missing)

    def _is_waiting(self) -> bool:
        absent = (self.expected - self.answered) - {
            service for service, step in self.refused.items() if step == self.step
        }
        return any(self.missed.is_waited_for(each, at_start=each in self.at_start) for each in absent)

    def _take(self, service: str, given: FragmentGiven) -> None:
        if given.step == self.step:
            self.answered.add(service)
            self.arrival.set()
        self.keep_text(service, given)
