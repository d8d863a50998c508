"""Expands a cell: walks everywhere, tries what is worth it, and does harmless deeds at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from search.environment import Environment, Place
from search.frontier.bursts import Burster
from search.frontier.deeds import DeedReader, DeedResult
from search.frontier.empty_hands import EmptyHands
from search.frontier.facts.reader import Fact, FactReader
from search.frontier.nodes import CellKind, DeedCell, Frontier
from search.frontier.parts import SearchPart
from search.frontier.sweep import Stop, Sweep, Walker
from search.frontier.trying import Trier
from search.grafting import Earning

SELDOM = 10
"""A report may cost a tenth of the probes."""
ROUNDS = 20
"""Of harmless deeds, at once."""
WORTHY, FAIR = 0.2, 0.05
"""The worth of what is tried first, and before moves that cannot be undone by walking."""
BORED = 0.002
"""Where only phrases of less worth are left, bursts are tried."""
FIRST = (float("-inf"), 0.0)
"""The rank of a node that is to be expanded before others of its score."""
LOWERED, LEAST = 0.5, 0.0005
"""A node is expanded again with a threshold that is lower by the factor, while something is left."""


@dataclass
class Expander:
    """Expands nodes, and keeps the best that it has met, and those where points were earned."""

    environment: Environment
    facts: FactReader
    walker: Walker
    trier: Trier
    deeds: DeedReader
    burster: Burster
    empty_hands: EmptyHands
    report: Callable[[DeedCell], None]
    """Replays the best from the opening, and tells of it."""
    without: frozenset[SearchPart] = frozenset()
    best: DeedCell | None = None
    earned: dict[Earning, DeedCell] = field(default_factory=dict)
    """How points were earned, each with the first node to which that led."""
    _reported: DeedCell | None = None
    _reported_at: int = 0

    @property
    def frontier(self) -> Frontier:
        """The cells that are to be expanded."""
        return self.deeds.frontier

    def expand(self, node: DeedCell) -> None:
        """Do what is harmless, again and again; then queue what else can be done."""
        threshold = node.threshold
        for _ in range(ROUNDS):
            self.environment.restore(node.position)
            sweep = self.walker.sweep()
            toured, found, steps = self._round(node, sweep)
            if toured is node:
                break
            self._queue_gains(node, sweep, found)
            node = toured
            self.report_best(SELDOM)
        else:
            self.frontier.push(CellKind.NEW, FIRST, node)
            return
        beyond = self._tour(node, sweep, steps)
        if beyond is not node:
            self.frontier.push(CellKind.NEW, FIRST, beyond)
        if self.trier.left < BORED:
            found += self.burster.found(sweep)
        for deed in found:
            self._queue(node, deed)
        for deed in self.empty_hands.found(sweep):
            self._queue(node, deed, leads_on=True)
        if self.trier.left > LEAST:
            again = replace(node, threshold=min(threshold, self.trier.left) * LOWERED)
            self.frontier.push(CellKind.AGAIN, (-again.threshold, -self.deeds.richness(sweep)), again)

    def _round(self, node: DeedCell, sweep: Sweep) -> tuple[DeedCell, list[DeedResult], list[DeedResult]]:
        """Try what is worth most, then what is worth less, until something harmless can be done.

        Nothing is done where no way leads back from. Returns where it is done, the node given if there is
        nothing; all deeds that were found; and those of them that might be done at once.
        """
        found, steps = list[DeedResult](), list[DeedResult]()
        for tier in (
            partial(self.trier.known, sweep),
            partial(self.trier.tried, sweep, max(WORTHY, node.threshold)),
            partial(self.trier.tried, sweep, max(FAIR, node.threshold)),
            partial(self.trier.moved, sweep),
            partial(self.trier.tried, sweep, node.threshold),
        ):
            new = list(tier())
            found += new
            harmless = [deed for deed in new if self._is_step(sweep, deed)]
            steps += harmless
            if not harmless:
                continue
            returning = sweep.returning(next(iter(sweep.stops)))
            toured = self._tour(node, sweep, [deed for deed in harmless if deed.stop.place in returning])
            if toured is not node:
                return toured, found, steps
        return node, found, steps

    def report_best(self, cost: int = 0) -> None:
        """Report the best, if it is new, and `cost` times its actions were spent since the last report."""
        best, spent = self.best, self.environment.probes - self._reported_at
        if best is not None and best is not self._reported and spent >= cost * best.length:
            self._reported, self._reported_at = best, self.environment.probes
            self.report(best)

    def _is_step(self, sweep: Sweep, deed: DeedResult) -> bool:
        """Whether a deed is done at once: it is harmless, of use, and leads back to where it began."""
        if SearchPart.TOURS in self.without:
            return False
        if not self.deeds.is_harmless(deed) or not self.deeds.is_useful(deed):
            return False
        if deed.gained <= 0 and self.deeds.rearranges(deed):
            return False
        return not deed.moved or self._returns(sweep, deed)

    def _returns(self, sweep: Sweep, deed: DeedResult) -> bool:
        """Whether one step leads back to where a move has begun; both ways are then known."""
        self.environment.restore(deed.position)
        place = self.facts.place()
        known = self.walker.ways.get(place, set())
        for way in sorted({*known, *self.walker.directions}, key=lambda way: (way not in known, way)):
            self.environment.restore(deed.position)
            outcome = self.environment.step(way)
            if outcome.done or self.facts.place() != deed.stop.place:
                continue
            if outcome.score >= deed.position.score:
                sweep.ways.setdefault(deed.stop.place, {})[deed.actions[0]] = place
                sweep.ways.setdefault(place, {}).setdefault(way, deed.stop.place)
                return True
        return False

    def _queue_gains(self, node: DeedCell, sweep: Sweep, found: list[DeedResult]) -> None:
        """Queue what has earned points as nothing before, and was not done at once: it may not wait."""
        for deed in (*found, *self.trier.moved(sweep)):
            if deed.gained > 0 and deed.earning not in self.earned:
                self._queue(node, deed)

    def _queue(self, node: DeedCell, deed: DeedResult, *, leads_on: bool = False) -> None:
        """Queue what a deed led to, if that is news. `leads_on`: to a place where nobody has been."""
        news = self.deeds.news(deed.position.score, deed.facts)
        if deed.gained <= 0 and not news and not leads_on:
            return
        child = node.after((*deed.stop.route, *deed.actions), deed.position)
        strong = leads_on or deed.gained > 0 or self.deeds.is_strong(deed, news)
        self._learn(deed.position.score, news)
        self._note(child, deed)
        if not deed.position.done:
            rank = (float(-deed.gained), child.length / (1 + len(news)))
            self.frontier.push(CellKind.NEW if strong else CellKind.REARRANGED, rank, child)

    def _learn(self, score: int, facts: list[Fact]) -> None:
        """Facts that are true now; of where a thing lies, also that it lies somewhere."""
        parents = self.facts.places.parent_at
        self.frontier.learn(score, [self.facts.of_kind(fact) for fact in facts])
        self.frontier.learn(score, [(-parents[at], 0) for at, _ in facts if at in parents])

    def _ways_stay(self, sweep: Sweep, deed: DeedResult) -> bool:
        """Whether all ways from where a deed was done still lead where they led; the position stays."""
        for way, place in sweep.ways.get(deed.stop.place, {}).items():
            self.environment.restore(deed.position)
            outcome = self.environment.step(way)
            if outcome.done or self.facts.place() != place:
                return False
        self.environment.restore(deed.position)
        return True

    def _note(self, node: DeedCell, deed: DeedResult) -> None:
        """Keep a node to which a deed has led, if it is the best, or the deed has earned points."""
        if deed.gained > 0:
            if not deed.moved:
                self.walker.note_earning(deed.stop.place)
            self.earned.setdefault(deed.earning, node)
        if self.best is None or (node.score, -node.length) > (self.best.score, -self.best.length):
            self.best = node

    def _tour(self, node: DeedCell, sweep: Sweep, deeds: list[DeedResult]) -> DeedCell:
        """Do harmless deeds one after the other, the nearest first.

        Returns the node where the last one is done; the one given, if none of them works in its turn.
        """
        done = node
        self.environment.restore(node.position)
        place = next(iter(sweep.stops))
        left: dict[Place, list[DeedResult]] = {}
        for deed in deeds:
            left.setdefault(deed.stop.place, []).append(deed)
        while left:
            walked = self._walked(node, sweep, place, set(left))
            if walked is None:
                break
            node, place = walked
            for deed in left.pop(place):
                committed = self._committed(node, sweep, deed)
                if committed is node:
                    continue
                node = done = committed
                if deed.moved:
                    returned = self._walked(node, sweep, self.facts.place(), {deed.stop.place})
                    if returned is None:
                        return done
                    node, place = returned
        return done

    def _walked(
        self, node: DeedCell, sweep: Sweep, place: Place, goals: set[Place]
    ) -> tuple[DeedCell, Place] | None:
        """Walk to the nearest of some places; None: that fails, and nothing has happened."""
        before = self.environment.save()
        route = sweep.route(place, goals)
        if route is None:
            return None
        for action in route:
            outcome = self.environment.step(action)
            place = sweep.ways[place][action]
            if outcome.done or outcome.score < before.score or self.facts.place() != place:
                self.environment.restore(before)
                return None
        return node.after(route, self.environment.save()), place

    def _committed(self, node: DeedCell, sweep: Sweep, deed: DeedResult) -> DeedCell:
        """Do a deed where the emulator is now, if it is still harmless and of use."""
        before, memory = self.environment.save(), self.facts.vector()
        is_true = deed.facts and self.facts.are_true(memory, deed.facts)
        if is_true or not (deed.gained > 0 or self.deeds.news(before.score, deed.facts)):
            return node
        place = self.facts.place()
        for action in deed.actions:
            outcome = self.environment.step(action)
            if outcome.done or outcome.refused:
                self.environment.restore(before)
                return node
        after = self.facts.vector()
        stop = Stop(place, before, memory, deed.stop.scene, ())
        changed, moved = self.facts.changes(memory, after), self.facts.place() != place
        done = DeedResult(stop, deed.actions, self.environment.save(), after, changed, moved)
        harmless = self.deeds.is_harmless(done) and self.deeds.is_useful(done)
        if not harmless or not (moved or self._ways_stay(sweep, done)):
            self.environment.restore(before)
            return node
        self._learn(done.position.score, self.deeds.news(done.position.score, done.facts))
        node = node.after(deed.actions, done.position)
        self._note(node, done)
        return node
