"""Bursts of random actions: what a deed alone does not do, several in a row may."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from search.frontier.deeds import DeedReader, DeedResult
from search.frontier.parts import SearchPart
from search.frontier.sweep import Stop, Sweep, Walker
from search.frontier.units.units import Units

BURSTS, LONGEST = 4, 8
"""Bursts from the places of a sweep, and actions of each."""
MOVES = 0.3
"""How often an action is a move."""


@dataclass
class Burster:
    """Does deeds that have worked somewhere, in random order, whether they are new or not."""

    deeds: DeedReader
    walker: Walker
    units: Units
    random: Random
    without: frozenset[SearchPart] = frozenset()

    def found(self, sweep: Sweep) -> list[DeedResult]:
        """The deeds that bursts have led to, each with all actions of its burst."""
        if SearchPart.BURSTS in self.without:
            return []
        stops = list(sweep.stops.values())
        results = (self._burst(self.random.choice(stops)) for _ in range(BURSTS))
        return [deed for deed in results if deed is not None]

    def _burst(self, start: Stop) -> DeedResult | None:
        """Act at random until something is new."""
        environment = self.deeds.environment
        environment.restore(start.position)
        stop = start
        actions: tuple[str, ...] = ()
        for _ in range(LONGEST):
            action = self._chosen(stop)
            outcome = environment.step(action)
            actions = (*actions, action)
            if outcome.done and outcome.score <= start.position.score:
                return None
            deed = self.deeds.found(start, actions)
            if deed is not None and self.deeds.is_useful(deed):
                return deed
            stop = self.walker.stop((), dark=stop.dark)
        return None

    def _chosen(self, stop: Stop) -> str:
        ways = sorted(self.walker.ways.get(stop.place, ()))
        if ways and self.random.random() < MOVES:
            return self.random.choice(ways)
        known = self.units.known(stop.scene, stop.place, stop.position.score)
        return self.random.choice(known or ways or self.walker.directions)
