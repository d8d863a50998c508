"""Puts together what the sub-agents say about a step, and never waits longer than the deadline."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from schemas.fragment import Fragment, FragmentGiven

HELD_SESSIONS = 256
"""Sessions whose fragments are kept in memory; the rest is in the record."""


@dataclass(slots=True)
class Held:
    """What was said in one session."""

    step: int = -1
    answered: dict[str, FragmentGiven] = field(default_factory=dict)
    """Who has answered `step`, and what."""
    latest: dict[str, Fragment] = field(default_factory=dict)
    """What each service said last that was not "unchanged"."""
    early: list[tuple[str, FragmentGiven]] = field(default_factory=list)
    """Answers to a step that this actor has not seen yet."""
    news: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Assembled:
    """What is at hand when the actor decides."""

    fragments: Mapping[str, Fragment]
    missing: tuple[str, ...]


class Assembly:
    """The fragments of all sessions. A service that keeps missing deadlines is not waited for."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self._held: OrderedDict[str, Held] = OrderedDict()
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

    def begin(self, session: str, step: int) -> None:
        """A step is under way; answers to it may have come before it."""
        held = self._of(session)
        held.step, held.answered, early = step, {}, held.early
        held.early = []
        for service, given in early:
            self.note(session, service, given)

    def knows(self, session: str, service: str) -> bool:
        """Whether it is known what the service said before it said "unchanged"."""
        return service in self._of(session).latest

    def recall(self, session: str, service: str, said: Fragment) -> None:
        """What a service said before this actor came."""
        self._of(session).latest.setdefault(service, said)

    def forget(self, session: str) -> None:
        """The session has ended."""
        self._held.pop(session, None)

    async def wait(self, session: str, live: Callable[[], Collection[str]], seconds: float) -> bool:
        """Whether every live service that is worth waiting for has answered within `seconds`."""
        held = self._of(session)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while self._awaited(held, live()):
                    held.news.clear()
                    await held.news.wait()
        except TimeoutError:
            return False
        return True

    def absent(self, session: str, live: Collection[str]) -> tuple[str, ...]:
        """The live services that have not answered the step under way."""
        return tuple(sorted(set(live) - self._of(session).answered.keys()))

    def result(self, session: str, live: Collection[str]) -> Assembled:
        """What is at hand now, of who is still there; who is missing has missed a deadline."""
        held, missing = self._of(session), self.absent(session, live)
        self.misses.update(missing)
        self._in_a_row.update(missing)
        there = held.latest.keys() & {*live, *held.answered}
        return Assembled(fragments={name: held.latest[name] for name in sorted(there)}, missing=missing)

    def _awaited(self, held: Held, live: Collection[str]) -> bool:
        return any(name not in held.answered and self._in_a_row[name] < self.patience for name in live)

    def _take(self, held: Held, service: str, given: FragmentGiven) -> None:
        if given.step == held.step:
            held.answered.setdefault(service, given)
            held.news.set()
        if not given.unchanged:
            held.latest[service] = Fragment(sections=given.sections, suggestions=given.suggestions)

    def _of(self, session: str) -> Held:
        held = self._held.setdefault(session, Held())
        self._held.move_to_end(session)
        while len(self._held) > HELD_SESSIONS:
            self._held.popitem(last=False)
        return held
