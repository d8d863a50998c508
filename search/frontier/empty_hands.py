"""Ways that bar whoever carries too much: all is laid down, and as much taken along as can pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from search.environment import Place
from search.frontier.deeds import DeedReader, DeedResult
from search.frontier.parts import SearchPart
from search.frontier.sweep import Stop, Sweep, Walker
from search.frontier.trying import DROP, TAKE

DROP_ALL = "drop all"


@dataclass
class EmptyHands:
    """Walks with less in hand where a way is barred, or kills, and says so in words of its own."""

    deeds: DeedReader
    walker: Walker
    random: Random
    without: frozenset[SearchPart] = frozenset()
    _tried: set[tuple[Place, str, int]] = field(default_factory=set)
    """Ways, each with the score at which it was tried."""

    def found(self, sweep: Sweep) -> Iterator[DeedResult]:
        """Walks that lead where the sweep has not been, each with as much in hand as passes."""
        if SearchPart.EMPTY_HANDS in self.without:
            return
        for stop in sweep.stops.values():
            for way in self.walker.barred(stop.place):
                key = stop.place, way, stop.position.score
                if key not in self._tried:
                    self._tried.add(key)
                    if (deed := self._passed(stop, way, sweep)) is not None:
                        yield deed

    def forget(self) -> None:
        """Try all ways again."""
        self._tried.clear()

    def _passed(self, stop: Stop, way: str, sweep: Sweep) -> DeedResult | None:
        """A way with as much as passes; None: it is barred to empty hands too, or leads nowhere new."""
        deed = self._walked(stop, (DROP_ALL, way))
        if deed is None or self.deeds.facts.place() in sweep.stops:
            return None
        nouns, kept = [thing.noun for thing in self.deeds.in_hand(stop)], list[str]()
        for noun in self.random.sample(nouns, len(nouns)):
            more = [*kept, noun]
            laden = self._walked(stop, (DROP_ALL, *(TAKE.format(each) for each in more), way))
            if laden is not None:
                kept, deed = more, laden
        left = [noun for noun in nouns if noun not in kept]
        shorter = self._walked(stop, (*(DROP.format(noun) for noun in left), way))
        return shorter or deed

    def _walked(self, stop: Stop, actions: tuple[str, ...]) -> DeedResult | None:
        """What actions at a stop lead to; None: nowhere else."""
        environment = self.deeds.environment
        environment.restore(stop.position)
        for action in actions:
            if environment.step(action).done:
                return None
        deed = self.deeds.found(stop, actions)
        return deed if deed is not None and deed.moved else None
