"""What may be tried in a scene: phrases for nothing, for one thing, or for a pair, each with its worth."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from search.frontier.facts import Fact
from search.frontier.scene import ReachableThing, Scene
from zmachine.grammar.candidates import filled
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot

CONFIDENCE = 3.0
"""Tries that a phrase's first estimate counts for."""
FIRST_ESTIMATES = ((9, 0.3), (20, 0.12), (45, 0.06))
"""Of the phrases up to a rank: the share of tries that have an effect."""
LAST_ESTIMATE = 0.03
PAIR = 0.4
"""The worth of a pair beside that of a single thing."""
MENTIONED = 0.3
ELSEWHERE = 0.4
"""The worth of a held thing's phrase at each further place."""


@dataclass(slots=True)
class Deed:
    """What an action has done once. The same action may do more elsewhere."""

    actions: tuple[str, ...]
    facts: tuple[Fact, ...]
    gained: int
    """Points."""
    rearranges: bool
    """Whether it only lets go of things that were held."""
    failures: int = 0
    """How often it did not work again."""


@dataclass(slots=True)
class Unit:
    """Nothing, a thing, or a pair in a certain state at a place: what was tried on it, and what worked."""

    things: tuple[ReachableThing, ...]
    factor: float
    pending: list[int]
    """Phrases not tried yet, the best last."""
    deeds: dict[str, Deed] = field(default_factory=dict)
    score: int = 0
    """At which its phrases were listed last."""
    failures: int = 0
    """Tries in a row that were answered as if the thing were not there."""


@dataclass(slots=True)
class PhraseStatistics:
    """How often a phrase was tried, and had an effect."""

    tries: float
    effects: float

    @property
    def rate(self) -> float:
        """The share of tries with an effect."""
        return self.effects / self.tries


class Units:
    """All units met so far."""

    def __init__(self, phrases: Sequence[Phrase], random: Random) -> None:
        self.phrases = phrases
        self._random = random
        self.statistics = [
            PhraseStatistics(CONFIDENCE, CONFIDENCE * estimate(rank)) for rank in range(len(phrases))
        ]
        self._by_slots = {
            count: [n for n, phrase in enumerate(phrases) if len(phrase.slots) == count] for count in range(3)
        }
        self._units: dict[Hashable, Unit] = {}
        self._places: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._units)

    def of(self, scene: Scene, place: Hashable, score: int) -> Iterator[Unit]:
        """The units of a scene."""
        yield self._unit((place,), (), 1.0, score)
        held = [thing for thing in scene.things if thing.held]
        for thing in scene.things:
            alone = (place, thing.number or thing.noun, thing.state, thing.held)
            yield self._unit(alone, (thing,), 1.0 if thing.number else MENTIONED, score)
        for mine in held:
            for other in scene.things:
                if other is not mine:
                    at = place if not other.held else 0
                    named = other.number or other.noun
                    key = (at, mine.number, mine.state, named, other.state, other.held)
                    yield self._unit(key, (mine, other), PAIR * (1.0 if other.number else MENTIONED), score)

    def _unit(self, key: Hashable, things: tuple[ReachableThing, ...], factor: float, score: int) -> Unit:
        unit = self._units.get(key)
        if unit is None:
            if len(things) == 1 and things[0].held:
                met = (things[0].number, things[0].state)
                count = self._places.get(met, 0)
                self._places[met] = count + 1
                factor *= ELSEWHERE if count else 1.0
            unit = Unit(things, factor, [], score=score)
            self._fill(unit)
            self._units[key] = unit
        elif score > unit.score and not unit.pending:
            unit.score = score
            unit.factor *= 0.3
            self._fill(unit)
        return unit

    def _fill(self, unit: Unit) -> None:
        numbers = [n for n in self._by_slots[len(unit.things)] if self._fits(self.phrases[n], unit.things)]
        unit.pending = sorted(numbers, key=lambda n: self.statistics[n].rate)

    def _fits(self, phrase: Phrase, things: tuple[ReachableThing, ...]) -> bool:
        if len(things) == 1 and phrase.slots[0] is Slot.HELD:
            return things[0].held
        return True

    def worth(self, unit: Unit) -> float:
        """Of the best phrase that was not tried yet; 0: there is none."""
        if not unit.pending:
            return 0.0
        return self.statistics[unit.pending[-1]].rate * unit.factor

    def action(self, unit: Unit, number: int) -> str:
        """A phrase with the unit's nouns."""
        phrase = self.phrases[number]
        match unit.things:
            case ():
                return phrase.text
            case (thing,):
                return phrase.text.format(thing.noun)
            case (mine, other):
                return filled(phrase, mine.noun, other.noun)
        raise ValueError("a unit has two things at most")

    def tried(self, number: int, *, effect: bool) -> None:
        """Count a try of a phrase."""
        statistics = self.statistics[number]
        statistics.tries += 1
        statistics.effects += effect


def estimate(rank: int) -> float:
    """How often a phrase will have an effect, by its rank."""
    return next((share for end, share in FIRST_ESTIMATES if rank < end), LAST_ESTIMATE)
