"""Assembles the fragments of a step, and waits for them no longer than the deadline."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field

from schemas.fragment import FragmentGiven
from services.actor.context.source import ActorContext

HELD_SESSIONS = 256
"""Sessions whose fragments are kept in memory; the rest is in the record."""


@dataclass(slots=True)
class SessionFragments:
    """The fragments of one session."""

    step: int = -1
    expected: frozenset[str] = frozenset()
    """The services that should answer `step`."""
    answered: set[str] = field(default_factory=set)
    """The services that have answered `step`."""
    texts: dict[str, FragmentGiven] = field(default_factory=dict)
    """The newest message of each service that is not "unchanged"; else its oldest, which holds no text."""
    last: dict[str, int] = field(default_factory=dict)
    """The last step that each service has answered."""
    early: list[tuple[str, FragmentGiven]] = field(default_factory=list)
    """Answers to a step that this actor has not received yet."""
    arrival: asyncio.Event = field(default_factory=asyncio.Event)


class FragmentAssembler:
    """The fragments of all sessions. A service that keeps missing deadlines is not waited for."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self._sessions: OrderedDict[str, SessionFragments] = OrderedDict()
        self.misses: Counter[str] = Counter()
        """Deadlines missed in all, by service."""
        self._in_a_row: Counter[str] = Counter()

    def note(self, session: str, service: str, given: FragmentGiven) -> None:
        """A fragment has arrived: for the current step, for an earlier one, or before its step."""
        fragments = self._of(session)
        self._in_a_row.pop(service, None)
        fragments.last[service] = max(given.step, fragments.last.get(service, -1))
        if given.step > fragments.step:
            fragments.early.append((service, given))
        else:
            self._take(fragments, service, given)

    def is_new(self, session: str) -> bool:
        """Whether no step of the session has begun here."""
        return self._of(session).step < 0

    def answered(self, session: str, step: int) -> frozenset[str]:
        """The services that have answered a step; none, if it is not the current one."""
        fragments = self._of(session)
        return frozenset(fragments.answered) if fragments.step == step else frozenset()

    def begin(self, session: str, step: int, expected: Collection[str]) -> None:
        """A step is current, which these services should answer; some may have answered it already."""
        fragments = self._of(session)
        early, fragments.early = fragments.early, []
        fragments.step, fragments.expected, fragments.answered = step, frozenset(expected), set()
        for service, given in early:
            self.note(session, service, given)

    def continues(self, session: str, service: str, step: int) -> bool:
        """Whether the service's answer to the step before is known, which an "unchanged" refers to."""
        return self._of(session).last.get(service, -1) >= step - 1

    def recall(self, session: str, service: str, given: FragmentGiven) -> None:
        """The record holds this text of the service, which has answered "unchanged" since."""
        self._keep_text(self._of(session), service, given)

    def forget(self, session: str) -> None:
        """Release what is held of a session."""
        self._sessions.pop(session, None)

    async def wait(self, session: str, seconds: float) -> bool:
        """Whether all services that are waited for have answered within `seconds`."""
        fragments = self._of(session)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while self._is_waiting(fragments):
                    fragments.arrival.clear()
                    await fragments.arrival.wait()
        except TimeoutError:
            return False
        return True

    def absent(self, session: str) -> tuple[str, ...]:
        """The services that should answer the current step and have not."""
        fragments = self._of(session)
        return tuple(sorted(fragments.expected - fragments.answered))

    def result(self, session: str) -> ActorContext:
        """The context now. It counts a missed deadline for each service that is missing."""
        fragments, missing = self._of(session), self.absent(session)
        self.misses.update(missing)
        self._in_a_row.update(missing)
        there = fragments.texts.keys() & (fragments.expected | fragments.answered)
        return ActorContext({service: fragments.texts[service] for service in sorted(there)}, missing)

    def _is_waiting(self, fragments: SessionFragments) -> bool:
        absent = fragments.expected - fragments.answered
        return any(self._in_a_row[name] < self.patience for name in absent)

    def _take(self, fragments: SessionFragments, service: str, given: FragmentGiven) -> None:
        if given.step == fragments.step:
            fragments.answered.add(service)
            fragments.arrival.set()
        self._keep_text(fragments, service, given)

    def _keep_text(self, fragments: SessionFragments, service: str, given: FragmentGiven) -> None:
        known = fragments.texts.get(service)
        if known is None or (not given.unchanged and given.step >= known.step):
            fragments.texts[service] = given

    def _of(self, session: str) -> SessionFragments:
        fragments = self._sessions.setdefault(session, SessionFragments())
        self._sessions.move_to_end(session)
        while len(self._sessions) > HELD_SESSIONS:
            self._sessions.popitem(last=False)
        return fragments
