"""Puts together what the sub-agents say about a step, and never waits longer than the deadline."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from schemas.fragment import Fragment, FragmentGiven

HELD_SESSIONS = 256
"""Sessions whose fragments are kept in memory; the rest is in the record."""


@dataclass(slots=True)
class SessionFragments:
    """What was said in one session."""

    step: int = -1
    expected: frozenset[str] = frozenset()
    """Who answers `step`."""
    answered: dict[str, FragmentGiven] = field(default_factory=dict)
    """Who has answered `step`, and what."""
    latest: dict[str, tuple[int, Fragment]] = field(default_factory=dict)
    """What each service said last that was not "unchanged", and at which step."""
    early: list[tuple[str, FragmentGiven]] = field(default_factory=list)
    """Answers to a step that this actor has not seen yet."""
    news: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class ActorContext:
    """What is at hand when the actor decides."""

    fragments: Mapping[str, Fragment]
    missing: tuple[str, ...]


class FragmentAssembler:
    """The fragments of all sessions. A service that keeps missing deadlines is not waited for."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self._held: OrderedDict[str, SessionFragments] = OrderedDict()
        self.misses: Counter[str] = Counter()
        """Deadlines missed in all, by service."""
        self._in_a_row: Counter[str] = Counter()

    def note(self, session: str, service: str, given: FragmentGiven) -> None:
        """A fragment has arrived: for the step under way, late, or before the step itself."""
        held = self._of(session)
        self._in_a_row.pop(service, None)
        if given.step > held.step:
            held.early.append((service, given))
        else:
            self._take(held, service, given)

    def is_new(self, session: str) -> bool:
        """Whether no step of the session has begun here."""
        return self._of(session).step < 0

    def answered(self, session: str, step: int) -> frozenset[str]:
        """Who has answered a step; nobody, where it is not the one under way."""
        held = self._of(session)
        return frozenset(held.answered) if held.step == step else frozenset()

    def begin(self, session: str, step: int, expected: Collection[str]) -> None:
        """A step is under way, which these services answer; answers to it may have come before it."""
        held = self._of(session)
        held.step, held.expected, held.answered, early = step, frozenset(expected), {}, held.early
        held.early = []
        for service, given in early:
            self.note(session, service, given)

    def knows(self, session: str, service: str) -> bool:
        """Whether it is known what the service said before it said "unchanged"."""
        return service in self._of(session).latest

    def recall(self, session: str, service: str, step: int, said: Fragment) -> None:
        """What a service said, at which step, before this actor came."""
        self._of(session).latest.setdefault(service, (step, said))

    def forget(self, session: str) -> None:
        """The session has ended."""
        self._held.pop(session, None)

    async def wait(self, session: str, seconds: float) -> bool:
        """Whether everybody who is worth waiting for has answered within `seconds`."""
        held = self._of(session)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while self._awaited(held):
                    held.news.clear()
                    await held.news.wait()
        except TimeoutError:
            return False
        return True

    def absent(self, session: str) -> tuple[str, ...]:
        """Who has not answered the step under way."""
        held = self._of(session)
        return tuple(sorted(held.expected - held.answered.keys()))

    def result(self, session: str) -> ActorContext:
        """What is at hand now, of who is still there; who is missing has missed a deadline."""
        held, missing = self._of(session), self.absent(session)
        self.misses.update(missing)
        self._in_a_row.update(missing)
        there = held.latest.keys() & {*held.expected, *held.answered}
        return ActorContext(fragments={name: held.latest[name][1] for name in sorted(there)}, missing=missing)

    def _awaited(self, held: SessionFragments) -> bool:
        waited_for = held.expected - held.answered.keys()
        return any(self._in_a_row[name] < self.patience for name in waited_for)

    def _take(self, held: SessionFragments, service: str, given: FragmentGiven) -> None:
        if given.step == held.step:
            held.answered.setdefault(service, given)
            held.news.set()
        known, _ = held.latest.get(service, (-1, None))
        if not given.unchanged and given.step >= known:
            held.latest[service] = (
                given.step,
                Fragment(sections=given.sections, suggestions=given.suggestions),
            )

    def _of(self, session: str) -> SessionFragments:
        held = self._held.setdefault(session, SessionFragments())
        self._held.move_to_end(session)
        while len(self._held) > HELD_SESSIONS:
            self._held.popitem(last=False)
        return held
