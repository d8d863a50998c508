"""Tries what may be done at the places of a sweep: what has worked before, then what was not tried yet."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random

from search.environment import Outcome
from search.frontier.deeds import DeedReader, DeedResult
from search.frontier.parts import SearchPart
from search.frontier.persistence import AnswerMemory, Persister
from search.frontier.spoken_verbs import SpokenVerbs
from search.frontier.sweep import Stop, Sweep, Walker
from search.frontier.units.unit import Deed, Unit
from search.frontier.units.units import Units

REARRANGED = 0.03
"""How likely something held is let go again, at a place where that was done before."""
MUCH = 5
"""Things held, from which on taking more may fail because of the load."""
MOST_TRIES = 1500
"""Of one sweep."""
FOLLOWED = 12
"""Actions that are tried after something was put somewhere."""
TAKE, DROP = "take {}", "drop {}"


@dataclass
class Trier:
    """Tries actions at stops, and remembers what they did."""

    deeds: DeedReader
    walker: Walker
    units: Units
    persister: Persister
    spoken: SpokenVerbs
    random: Random
    absent: frozenset[str]
    """Answers to a noun of something that is not in reach."""
    without: frozenset[SearchPart] = frozenset()
    left: float = 0.0
    """The greatest worth that the latest sweep has left below its threshold."""
    _uses: Counter[int] = field(default_factory=Counter)
    """How often a thing has served a deed with another thing, or earned points."""

    @property
    def answers(self) -> AnswerMemory:
        """All answers so far."""
        return self.persister.answers

    def moved(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Moves that did more than move."""
        for event in sweep.events:
            yield DeedResult(
                event.stop, (event.way,), event.position, event.memory, event.changed, moved=True
            )

    def known(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Deeds that worked in the same situation before, and whose facts are not true yet."""
        for stop, unit in self._units(sweep):
            for deed in unit.deeds.values() if unit.deeds else ():
                if self._is_worth_repeating(stop, deed):
                    done = self._done(stop, deed.actions)
                    deed.failures += done is None
                    if done is not None:
                        yield done

    def _units(self, sweep: Sweep) -> Iterator[tuple[Stop, Unit]]:
        """All units of a sweep, each with its stop; words are said at one of them."""
        stops = list(sweep.stops.values())
        for stop in stops:
            for unit in self.units.of(stop.scene, stop.place, stop.position.score):
                yield stop, unit
        anywhere = self.random.choice(stops)
        whereabouts = partial(self.walker.whereabouts, anywhere)
        for unit in self.units.of_words(self.walker.words, whereabouts, anywhere.position.score):
            yield anywhere, unit

    def _is_worth_repeating(self, stop: Stop, deed: Deed) -> bool:
        if deed.facts and self.deeds.facts.are_true(stop.memory, deed.facts):
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

    def tried(self, sweep: Sweep, threshold: float) -> Iterator[DeedResult]:
        """Untried phrases of all places, the best first. `threshold`: the worth of those that are tried."""
        self.left = 0.0
        context = self.deeds.context(sweep)
        first = next(iter(sweep.stops.values()))
        units = self.units
        units.add(self.spoken.heard(first.position, self.walker.words))
        units.sleep(self.spoken.unready(first.position, context))
        heap: list[tuple[float, int, Stop, Unit]] = []
        for order, (stop, unit) in enumerate(self._units(sweep)):
            units.renew(unit, context)
            worth = units.best(unit)[1]
            if worth >= threshold:
                heap.append((-worth, order, stop, unit))
            elif worth > self.left:
                self.left = worth
        heapq.heapify(heap)
        tries = 0
        while heap and tries < MOST_TRIES:
            expected, order, stop, unit = heap[0]
            number, worth = units.best(unit)
            if worth >= -expected:
                tries += 1
                deed = self._try(stop, unit, number)
                if deed is not None:
                    yield deed
                worth = units.best(unit)[1]
            if worth >= threshold:
                heapq.heapreplace(heap, (-worth, order, stop, unit))
            else:
                heapq.heappop(heap)
                self.left = max(self.left, worth)
        if heap:
            self.left = threshold

    def _try(self, stop: Stop, unit: Unit, number: int) -> DeedResult | None:
        unit.tried.add(number)
        unit.version = -1
        action = self.units.action(unit, number)
        line = self.spoken.line(action)
        actions, outcome = self.persister.survived(stop, line)
        answer = self.answers.plain(outcome, unit)
        if unit.things and answer in self.absent:
            self.units.missed(unit, number)
            return None
        unit.failures = 0
        read = self.walker.read(stop.place, outcome.observation)
        self.answers.is_new(answer)
        is_new = self.units.answered(unit, number, answer)
        deed = None
        if not outcome.refused and not (outcome.done and outcome.score <= stop.position.score):
            deed = self.deeds.found(stop, actions)
            phrase, changed = self.units.phrases[number].text, deed.changed if deed else ()
            if unit.things and self.deeds.facts.learned.note_try(phrase, unit.names, changed):
                deed = self.deeds.found(stop, actions)
            if deed is not None and not self._adds(deed, line):
                deed = None
            elif deed is None:
                if self.walker.note_way(stop, action):
                    unit.curious.discard(number)
                deed = self._exchanged(stop, unit, number, action)
            if deed is None and is_new and not outcome.done:
                deed = self.persister.insisted(stop, unit, action)
        useful = deed is not None and not deed.moved and self.deeds.is_useful(deed)
        effect = read and self.units.reads(number)
        if useful and deed is not None:
            effect = self.units.is_first(deed.position.score, deed.facts) or deed.gained > 0 or effect
        self.units.tried(unit, number, effect=effect)
        if useful and deed is not None:
            self.units.add(self.spoken.done(deed, unit.things))
        return None if deed is None else self._kept(stop, unit, number, deed, outcome, useful=useful)

    def _adds(self, deed: DeedResult, line: tuple[str, ...]) -> bool:
        """Whether the last action of a line does anything: the others make its verb one."""
        if len(line) == 1 or deed.gained > 0:
            return True
        environment = self.deeds.environment
        environment.restore(deed.stop.position)
        for action in line[:-1]:
            environment.step(action)
        return bool(self.deeds.facts.changes(self.deeds.facts.vector(), deed.memory))

    def _kept(
        self, stop: Stop, unit: Unit, number: int, deed: DeedResult, outcome: Outcome, *, useful: bool
    ) -> DeedResult:
        """Remember a deed, after it was repeated while that does more."""
        if useful and (len(unit.things) == 2 or deed.gained > 0):
            self._uses.update(thing.number for thing in unit.things)
        if deed.gained > 0:
            self.units.earned(unit, number)
        if len(deed.actions) == 1:
            deed = self.persister.repeated(stop, deed, outcome)
        rearranges = self.deeds.rearranges(deed)
        if rearranges and len(unit.things) == 2 and deed.gained <= 0:
            deed = self._followed(stop, deed)
            rearranges = self.deeds.rearranges(deed)
        unit.deeds[deed.action] = Deed(deed.actions, deed.facts, deed.gained, rearranges)
        names = tuple(thing.number or thing.noun for thing in unit.things)
        self.deeds.facts.learned.note(number, names, stop.place, stop.memory, deed.memory, deed.changed)
        if not rearranges:
            self.walker.note_deed(stop.place, deed.changed)
        return deed

    def _followed(self, stop: Stop, deed: DeedResult) -> DeedResult:
        """A deed with what it has made possible: what is of interest at the place is done after it."""
        if SearchPart.FOLLOWING in self.without:
            return deed
        environment = self.deeds.environment
        actions = self.units.interesting(stop.scene, stop.place, stop.position.score)
        for action in self.random.sample(actions, min(FOLLOWED, len(actions))):
            environment.restore(deed.position)
            outcome = environment.step(action)
            if outcome.refused or (outcome.done and outcome.score <= stop.position.score):
                continue
            after = self.deeds.found(stop, (*deed.actions, action))
            if after is not None and self.deeds.is_useful(after):
                return after
        return deed

    def _exchanged(self, stop: Stop, unit: Unit, number: int, action: str) -> DeedResult | None:
        """Where much is held, taking one thing more may need that the least used is dropped."""
        if SearchPart.EXCHANGING in self.without:
            return None
        if len(stop.scene.held) < MUCH or self.units.phrases[number].text != TAKE:
            return None
        wanted, mine = unit.things[0], self.deeds.in_hand(stop)
        if wanted.held or not wanted.number or not mine:
            return None
        left = min(mine, key=lambda thing: (self._uses[thing.number], thing.number))
        deed = self._done(stop, (DROP.format(left.noun), action))
        return deed if deed is not None and self.deeds.holds(deed.memory, wanted.number) else None
