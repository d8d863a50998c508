"""Tries what may be done at the places of a sweep: what has worked before, then what was not tried yet."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from search.environment import Outcome
from search.frontier.deeds import DeedReader, DeedResult
from search.frontier.sweep import Stop, Sweep, Walker
from search.frontier.units import Deed, Unit, Units

REPEATS = 6
"""How often an action is repeated while its answer differs."""
REARRANGED = 0.03
"""How likely something held is let go again, at a place where that was done before."""
MUCH = 5
"""Things held, from which on taking more may fail because of the load."""
UNSEEN = 2
"""Answers in a row, as to a thing that is not there, after which a unit is left."""
MOST_TRIES = 1500
"""Of one sweep."""
TAKE, DROP = "take {}", "drop {}"


@dataclass
class Trier:
    """Tries actions at stops, and remembers what they did."""

    deeds: DeedReader
    walker: Walker
    units: Units
    random: Random
    absent: frozenset[str]
    """Answers to a noun of something that is not in reach."""
    threshold: float = 0.02
    """The worth below which a phrase is not tried."""
    _uses: Counter[int] = field(default_factory=Counter)
    """How often a thing has served a deed with another thing, or earned points."""

    def found(self, sweep: Sweep) -> list[DeedResult]:
        """All deeds of a sweep."""
        return [*self._events(sweep), *self._known(sweep), *self._tried(sweep)]

    def _events(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Moves that did more than move."""
        for event in sweep.events:
            yield DeedResult(
                event.stop, (event.way,), event.position, event.memory, event.changed, moved=True
            )

    def _known(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Deeds that worked in the same situation before, and whose facts are not true yet."""
        for stop in sweep.stops.values():
            for unit in self.units.of(stop.scene, stop.place, stop.position.score):
                for deed in unit.deeds.values():
                    if self._is_worth_repeating(stop, deed):
                        done = self._done(stop, deed.actions)
                        deed.failures += done is None
                        if done is not None:
                            yield done

    def _is_worth_repeating(self, stop: Stop, deed: Deed) -> bool:
        if deed.facts and all(stop.memory[at] == value for at, value in deed.facts):
            return False
        if deed.gained <= 0:
            if not self.deeds.news(stop.position.score, deed.facts):
                return False
            if deed.rearranges and self.random.random() > REARRANGED:
                return False
        return self.random.random() * deed.failures <= 1.0

    def _done(self, stop: Stop, actions: tuple[str, ...]) -> DeedResult | None:
        environment = self.deeds.environment
        environment.restore(stop.position)
        for action in actions:
            outcome = environment.step(action)
            if outcome.done:
                return self.deeds.found(stop, actions) if outcome.score > stop.position.score else None
        return self.deeds.found(stop, actions)

    def _tried(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Untried phrases of all places, the best first."""
        heap: list[tuple[float, int, Stop, Unit]] = []

        def enlist(order: int, stop: Stop, unit: Unit) -> None:
            worth = self.units.worth(unit)
            if worth >= self.threshold:
                heapq.heappush(heap, (-worth, order, stop, unit))

        order = 0
        for stop in sweep.stops.values():
            for unit in self.units.of(stop.scene, stop.place, stop.position.score):
                enlist(order, stop, unit)
                order += 1
        for _ in range(MOST_TRIES):
            if not heap:
                return
            _, order, stop, unit = heapq.heappop(heap)
            if unit.pending:
                deed = self._try(stop, unit, unit.pending.pop())
                if deed is not None:
                    yield deed
                enlist(order, stop, unit)

    def _try(self, stop: Stop, unit: Unit, number: int) -> DeedResult | None:
        action = self.units.action(unit, number)
        environment = self.deeds.environment
        environment.restore(stop.position)
        outcome = environment.step(action)
        if self._is_absent(outcome, unit):
            unit.failures += 1
            if unit.failures >= UNSEEN:
                unit.pending.clear()
            return None
        unit.failures = 0
        self.walker.read(stop.place, outcome.observation)
        deed = None
        if not outcome.refused and not (outcome.done and outcome.score <= stop.position.score):
            deed = self.deeds.found(stop, (action,))
            if deed is None:
                self.walker.note_way(stop.place, action)
                deed = self._exchanged(stop, unit, number, action)
        useful = deed is not None and not deed.moved and (deed.gained > 0 or not self.deeds.rearranges(deed))
        self.units.tried(number, effect=useful)
        return None if deed is None else self._kept(stop, unit, number, deed, outcome, useful=useful)

    def _kept(
        self, stop: Stop, unit: Unit, number: int, deed: DeedResult, outcome: Outcome, *, useful: bool
    ) -> DeedResult:
        """Remember a deed, after it was repeated while that does more."""
        if useful and (len(unit.things) == 2 or deed.gained > 0):
            self._uses.update(thing.number for thing in unit.things)
        if len(deed.actions) == 1:
            deed = self._repeated(stop, deed, outcome)
        rearranges = self.deeds.rearranges(deed)
        unit.deeds[deed.actions[-1]] = Deed(deed.actions, deed.facts, deed.gained, rearranges)
        names = tuple(thing.number or thing.noun for thing in unit.things)
        self.deeds.facts.note(number, names, deed.memory, deed.changed)
        return deed

    def _is_absent(self, outcome: Outcome, unit: Unit) -> bool:
        text = outcome.observation.lower()
        for thing in unit.things:
            text = text.replace(thing.noun, "_")
        return bool(unit.things) and text in self.absent

    def _exchanged(self, stop: Stop, unit: Unit, number: int, action: str) -> DeedResult | None:
        """Where much is held, taking one thing more may need that the least used is dropped."""
        if len(stop.scene.held) < MUCH or self.units.phrases[number].text != TAKE:
            return None
        wanted, player = unit.things[0], self.deeds.environment.player
        parent = self.deeds.facts.parent
        mine = [
            thing for thing in stop.scene.things if thing.held and parent(stop.memory, thing.number) == player
        ]
        if wanted.held or not wanted.number or not mine:
            return None
        left = min(mine, key=lambda thing: (self._uses[thing.number], thing.number))
        deed = self._done(stop, (DROP.format(left.noun), action))
        return deed if deed is not None and self.deeds.holds(deed.memory, wanted.number) else None

    def _repeated(self, stop: Stop, deed: DeedResult, outcome: Outcome) -> DeedResult:
        """Go on while the answer and something else changes."""
        environment, facts = self.deeds.environment, self.deeds.facts
        actions, memory, text = deed.actions, deed.memory, outcome.observation
        for _ in range(REPEATS):
            outcome = environment.step(actions[-1])
            actions = (*actions, actions[-1])
            if outcome.done or outcome.refused or outcome.observation == text:
                break
            text, before, memory = outcome.observation, memory, facts.vector()
            again = self.deeds.found(stop, actions) if facts.changes(before, memory) else None
            if again is None:
                break
            deed = again
        return deed
