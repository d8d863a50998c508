"""What may be tried in a scene: phrases for nothing, for one thing, or for a pair, each with its worth."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from random import Random

from search.frontier.facts import Fact
from search.frontier.scene import ReachableThing, Scene
from search.frontier.unit import Unit
from search.frontier.worth import READING, Worth
from zmachine.grammar.patterns import filled
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot
from zmachine.grammar.topics import with_topic

TOPICAL, NEARBY, HELD_ALONE = 3, 4, 5
"""Stand for the number of gaps of a phrase with a topic, of one for two things of which none is held, and of
one for a thing that is held: what such phrases do is learned apart."""
TOPIC = 0.2
"""The worth of a topic beside that of a single thing."""
PAIR = 0.4
"""The worth of a pair beside that of a single thing."""
BOTH_HELD = 0.4
NEAR = 0.05
"""The worth of a pair of which nothing is held."""
MENTIONED = 0.4
ELSEWHERE = 0.1
"""The worth of a thing's phrase at each further place."""
SIDES = 2
"""Places at which a thing that is not held may have different uses."""
HINTED = 0.05
"""The worth of a phrase that was answered unusually with another thing."""
CURIOUS = 0.1
"""The worth of a phrase that was answered unusually before."""
EARNED = 0.6
"""The worth of a phrase that has earned points with another thing."""
PATIENCE = 8
"""Tries in vain of a phrase with something held, after which half as much is expected of the next."""
UNSEEN = 2
"""Answers in a row, as to a thing that is not there, after which a unit is left."""
MOST_SCENES = 2000
SORTED_AFTER = 50
"""Tries after which the phrases are sorted by their worth again."""


class Units:
    """All units met so far."""

    def __init__(
        self, phrases: Sequence[Phrase], topical: Sequence[Phrase], topics: Sequence[str], random: Random
    ) -> None:
        """`topical`: phrases for a thing and a topic. `topics`: those known so far."""
        ranked = [(rank, len(phrase.slots), phrase) for rank, phrase in enumerate(phrases)]
        ranked += [(len(phrases), TOPICAL, phrase) for phrase in topical]
        ranked += [(rank, NEARBY, phrase) for rank, gaps, phrase in ranked if gaps == 2]
        ranked += [(rank, HELD_ALONE, phrase) for rank, gaps, phrase in ranked if gaps == 1]
        self.phrases = [phrase for _, _, phrase in ranked]
        self._gaps = [gaps for _, gaps, _ in ranked]
        self._topics = topics
        self._talkative: set[Hashable] = set()
        """The things that had more than the usual to say."""
        self._worth = Worth(((rank, phrase.text) for rank, _, phrase in ranked), random)
        self._order: dict[int, list[int]] = {}
        self._units: dict[Hashable, Unit] = {}
        self._scenes: dict[Hashable, tuple[tuple[int, int], list[Unit]]] = {}
        """The units of scenes met lately, with the numbers of topics and of talkative things at the time."""
        self._places: dict[Hashable, set[Hashable]] = {}
        """Where things were met; of held ones, in each state."""
        self._earned: dict[Hashable, set[int]] = {}
        """The phrases that have earned points, by anchor."""
        self._hints: dict[Hashable, set[int]] = {}
        """The phrases whose answer was new, by anchor."""
        self._answers: dict[str, tuple[Unit, int]] = {}
        """All answers, each with the unit and the phrase that were answered so first."""
        self._vain: dict[tuple[int, int], int] = {}
        """How often each phrase was tried in vain with each thing that was held, and another thing."""
        self._effects: set[tuple[int, Fact]] = set()
        """What deeds have made true, each with the score."""
        self._absent: set[ReachableThing] = set()
        """The things that were answered as if they were not there."""
        self._tries = self._version = 0
        self._sort()

    def __len__(self) -> int:
        return len(self._units)

    def _sort(self) -> None:
        self._version += 1
        for gaps in range(HELD_ALONE + 1):
            numbers = [n for n, own in enumerate(self._gaps) if own == gaps]
            self._order[gaps] = sorted(numbers, key=lambda n: -self._worth.of(n))

    def of(self, scene: Scene, place: Hashable, score: int) -> list[Unit]:
        """The units of a scene."""
        key = (scene.things, place, score)
        known = self._scenes.get(key)
        talk = (len(self._topics), len(self._talkative))
        if known is None or known[0] != talk:
            if len(self._scenes) >= MOST_SCENES:
                self._scenes.clear()
            known = self._scenes[key] = talk, list(self._listed(scene, place, score))
        return known[1]

    def _listed(self, scene: Scene, place: Hashable, score: int) -> Iterator[Unit]:
        yield self._unit((place,), (), place, 1.0, score)
        held = [thing for thing in scene.things if thing.held]
        for thing in scene.things:
            alone = (place, thing.number or thing.noun, thing.state, thing.held)
            factor = self._elsewhere(thing, place) if thing.number else MENTIONED
            yield self._unit(alone, (thing,), place, factor, score, HELD_ALONE if thing.held else None)
        for mine in held:
            for other in scene.things:
                if other is not mine:
                    at = place if not other.held else 0
                    named = other.number or other.noun
                    key = (at, mine.number, mine.state, named, other.state, other.held)
                    seen = self._elsewhere(other, place) if other.number else MENTIONED
                    factor = PAIR * (BOTH_HELD if other.held else seen)
                    yield self._unit(key, (mine, other), (at, named), factor, score)
        near = [thing for thing in scene.things if thing.number and not thing.held]
        for mine in near:
            for other in near:
                if other is not mine:
                    key = (place, mine.number, mine.state, other.number, other.state, False)
                    factor = NEAR * self._elsewhere(mine, place) * self._elsewhere(other, place)
                    yield self._unit(key, (mine, other), (place, other.number), factor, score, NEARBY)
        for thing in scene.things:
            named = thing.number or thing.noun
            for topic in self._topics if named in self._talkative else self._topics[:1]:
                asked: Hashable = (named, topic, thing.state)
                pair = (thing, ReachableThing(0, topic, held=False, state=0))
                yield self._unit(asked, pair, named, TOPIC, score, TOPICAL)

    def _elsewhere(self, thing: ReachableThing, place: Hashable) -> float:
        """How much is expected of a thing at a place, beside the places where it was met first."""
        met: Hashable = (thing.number, thing.state) if thing.held else thing.number
        places = self._places.setdefault(met, set())
        if place in places:
            return 1.0
        if len(places) < (1 if thing.held else SIDES):
            places.add(place)
            return 1.0
        return ELSEWHERE

    def _unit(
        self,
        key: Hashable,
        things: tuple[ReachableThing, ...],
        anchor: Hashable,
        factor: float,
        score: int,
        gaps: int | None = None,
    ) -> Unit:
        unit = self._units.get(key)
        if unit is None:
            unit = self._units[key] = Unit(
                things, anchor, factor, score, len(things) if gaps is None else gaps
            )
        elif score > unit.score:
            unit.score, unit.version = score, -1
            unit.before |= unit.tried
            unit.tried = set()
        return unit

    def _fits(self, phrase: Phrase, things: tuple[ReachableThing, ...]) -> bool:
        if len(things) == 1:
            return things[0].held or phrase.slots[0] is not Slot.HELD
        return not things or things[0].held or Slot.HELD not in phrase.slots

    def best(self, unit: Unit) -> tuple[int, float]:
        """The phrase that is to be tried next, and its worth; 0: there is none."""
        if unit.version != self._version:
            unit.version, unit.best = self._version, self._chosen(unit)
        return unit.best

    def _chosen(self, unit: Unit) -> tuple[int, float]:
        if unit.failures >= UNSEEN or not self._absent.isdisjoint(unit.things):
            return -1, 0.0
        for numbers, worth in ((self._earned, EARNED), (self._hints, HINTED)):
            for number in sorted(numbers.get(unit.anchor, ())):
                fitting = self._gaps[number] == unit.gaps
                if fitting and number not in unit.tried and self._fits(self.phrases[number], unit.things):
                    return number, worth
        for number in sorted(unit.curious - unit.tried):
            return number, CURIOUS / (1 + unit.renewals)
        return self._likeliest(unit)

    def _likeliest(self, unit: Unit) -> tuple[int, float]:
        """The phrase that is expected to have an effect, by what it had elsewhere."""
        best, worth = -1, 0.0
        for number in self._order[unit.gaps]:
            if self._worth.of(number) * unit.factor <= worth:
                break
            if number in unit.tried or not self._fits(self.phrases[number], unit.things):
                continue
            rate = self._worth.of(number) * unit.share(number)
            if vain := self._vain.get((number, unit.tool), 0):
                rate /= 1 + vain / PATIENCE
            if rate > worth:
                best, worth = number, rate
        return best, worth

    def action(self, unit: Unit, number: int) -> str:
        """A phrase with the unit's nouns."""
        phrase = self.phrases[number]
        if unit.gaps == TOPICAL:
            return with_topic(phrase, *(thing.noun for thing in unit.things))
        match unit.things:
            case ():
                return phrase.text
            case (thing,):
                return phrase.text.format(thing.noun)
            case (mine, other):
                return filled(phrase, mine.noun, other.noun)
        raise ValueError("a unit has two things at most")

    def tried(self, unit: Unit, number: int, *, effect: bool) -> None:
        """Count a try of a phrase."""
        share = unit.share(number)
        if tool := unit.tool:
            vain = self._vain.get((number, tool), 0)
            self._vain[number, tool] = 0 if effect else vain + 1
            share /= 1 + vain
        self._worth.count(number, share, effect=effect)
        self._tries += 1
        if self._tries % SORTED_AFTER == 0:
            self._sort()

    def is_first(self, score: int, facts: Iterable[Fact]) -> bool:
        """Whether a deed makes something true that none has made true at its score."""
        new = {(score, fact) for fact in facts} - self._effects
        self._effects |= new
        return bool(new)

    def missed(self, unit: Unit) -> None:
        """A unit was answered as if a thing of it were not there."""
        unit.failures += 1
        if unit.failures >= UNSEEN and len(unit.things) == 1:
            self._absent.update(unit.things)
            self._version += 1

    def reads(self, number: int) -> bool:
        """Whether a phrase is there to make the story tell more."""
        return self.phrases[number].text in READING

    def answered(self, unit: Unit, number: int, answer: str) -> bool:
        """Remember an answer; whether it was never heard before.

        With another thing, or later, such a phrase may do something. It is a usual phrase's usual answer,
        if another thing is answered alike.
        """
        first = self._answers.get(answer)
        if first is None:
            self._answers[answer] = unit, number
            if unit.gaps == TOPICAL:
                self._talkative.add(unit.anchor)
                return True
            unit.curious.add(number)
            if unit.gaps == 2:
                self._hints.setdefault(unit.anchor, set()).add(number)
            return True
        other, alike = first
        if alike == number and other is not unit and (not unit.things or other.names != unit.names):
            other.curious.discard(number)
            self._hints.get(other.anchor, set()).discard(number)
        return False

    def renew(self, unit: Unit, context: Hashable) -> None:
        """Phrases that were answered unusually may be tried again in another context."""
        if unit.context != context and unit.curious:
            unit.tried -= unit.curious
            unit.renewals += unit.context is not None
            unit.version = -1
        unit.context = context

    def known(self, scene: Scene, place: Hashable, score: int) -> list[str]:
        """The actions that had an effect, or an unusual answer, in a scene."""
        found: list[str] = []
        for unit in self.of(scene, place, score):
            found += unit.deeds
            found += (self.action(unit, number) for number in sorted(unit.curious))
        return found

    def interesting(self, scene: Scene, place: Hashable, score: int) -> list[str]:
        """What had an effect, or an unusual answer, with a thing here that is not held."""
        found: list[str] = []
        for unit in self.of(scene, place, score):
            if len(unit.things) == 1 and not unit.things[0].held:
                found += unit.deeds
                found += (self.action(unit, number) for number in sorted(unit.curious))
        return found

    def earned(self, unit: Unit, number: int) -> None:
        """A phrase has earned points with a unit: with others of the same anchor it may earn more."""
        if unit.things:
            self._earned.setdefault(unit.anchor, set()).add(number)
            self._version += 1
