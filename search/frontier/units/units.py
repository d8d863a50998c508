"""What may be tried in a scene: phrases for nothing, for one thing, or for a pair, each with its worth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from random import Random

from search.frontier.facts.reader import Fact
from search.frontier.parts import SearchPart
from search.frontier.scene import ReachableThing, Scene
from search.frontier.units.scene_units import HELD_ALONE, NEARBY, SPOKEN, TOPICAL, SceneUnits
from search.frontier.units.unit import Unit
from search.frontier.units.worth import READING, Worth
from zmachine.grammar.patterns import filled
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot
from zmachine.grammar.topics import with_topic

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
LEARNED = 0.2
"""How likely an action has an effect whose verb has become one."""
EXPECTED = 10
"""The rank of the phrases that are found while searching."""
SORTED_AFTER = 50
"""Tries after which the phrases are sorted by their worth again."""


class Units:
    """All units met so far."""

    def __init__(
        self,
        phrases: Sequence[Phrase],
        topical: Sequence[Phrase],
        topics: Sequence[str],
        random: Random,
        without: frozenset[SearchPart] = frozenset(),
    ) -> None:
        """`topical`: phrases for a thing and a topic, or for a topic alone. `topics`: those known so far."""
        self.phrases: list[Phrase] = []
        self._gaps: list[int] = []
        self._for_held = set[int]()
        """The phrases for something that is held."""
        self._without = without
        self._of_scenes = SceneUnits(topics, without)
        self._worth = Worth((), random)
        self._order: dict[int, list[int]] = {}
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
        self._asleep = set[int]()
        """Phrases that are left out now."""
        self._tries = self._version = 0
        ranked = [(rank, len(phrase.slots), phrase) for rank, phrase in enumerate(phrases)]
        ranked += [(len(phrases), TOPICAL, phrase) for phrase in topical if len(phrase.slots) == 2]
        self._add([*ranked, *((EXPECTED, SPOKEN, phrase) for phrase in topical if len(phrase.slots) == 1)])

    def add(self, phrases: Sequence[Phrase]) -> None:
        """More phrases for nothing or for one thing; those that are known already count as not tried."""
        if not phrases:
            return
        known = {number for number, phrase in enumerate(self.phrases) if phrase in phrases}
        for number in known:
            self._worth.expect(number, LEARNED)
        self._of_scenes.forget(known)
        new = [phrase for phrase in phrases if phrase not in self.phrases]
        self._add([(EXPECTED, len(phrase.slots), phrase) for phrase in new])

    def _add(self, ranked: list[tuple[int, int, Phrase]]) -> None:
        """Each with its rank and the gaps of the units that it fits."""
        ranked += [(rank, NEARBY, phrase) for rank, gaps, phrase in ranked if gaps == 2]
        ranked += [(rank, HELD_ALONE, phrase) for rank, gaps, phrase in ranked if gaps == 1]
        self._for_held.update(
            number
            for number, (_, _, phrase) in enumerate(ranked, len(self.phrases))
            if Slot.HELD in phrase.slots
        )
        self.phrases += (phrase for _, _, phrase in ranked)
        self._gaps += (gaps for _, gaps, _ in ranked)
        self._worth.add((rank, phrase.text) for rank, _, phrase in ranked)
        self._sort()

    def __len__(self) -> int:
        return len(self._of_scenes)

    def of(self, scene: Scene, place: Hashable, score: int) -> list[Unit]:
        """The units of a scene."""
        return self._of_scenes.of(scene, place, score)

    def of_words(
        self, words: Iterable[str], whereabouts: Callable[[str], Hashable], score: int
    ) -> Iterator[Unit]:
        """A unit for each word of the texts; none, if no phrase takes a word alone."""
        return self._of_scenes.of_words(words, whereabouts, score) if self._order[SPOKEN] else iter(())

    def sleep(self, verbs: frozenset[str]) -> None:
        """Leave out the phrases of some verbs, and only those."""
        asleep = {number for number, phrase in enumerate(self.phrases) if phrase.text.split()[0] in verbs}
        if asleep != self._asleep:
            self._asleep = asleep
            self._version += 1

    def _sort(self) -> None:
        self._version += 1
        for gaps in range(SPOKEN + 1):
            numbers = [n for n, own in enumerate(self._gaps) if own == gaps]
            self._order[gaps] = sorted(numbers, key=lambda n: -self._worth.values[n])

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
                fits = self._gaps[number] == unit.gaps and (unit.takes_all or number not in self._for_held)
                if fits and number not in unit.tried:
                    return number, worth
        likeliest = self._likeliest(unit)
        if not unit.curious:
            return likeliest
        left = unit.curious - unit.tried - self._asleep
        again, worth = min(left, default=-1), CURIOUS / (1 + unit.renewals)
        return (again, worth) if again >= 0 and worth > likeliest[1] else likeliest

    def _likeliest(self, unit: Unit) -> tuple[int, float]:
        """The phrase that is expected to have an effect, by what it had elsewhere."""
        best, worth = -1, 0.0
        values, factor, tool, takes_all = self._worth.values, unit.factor, unit.tool, unit.takes_all
        for number in self._order[unit.gaps]:
            value = values[number]
            if value * factor <= worth:
                break
            if number in unit.tried or number in unit.curious or number in self._asleep:
                continue
            if number in self._for_held and not takes_all:
                continue
            rate = value * unit.share(number)
            if tool and (vain := self._vain.get((number, tool), 0)):
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
        if (tool := unit.tool) and SearchPart.TOOLS not in self._without:
            vain = self._vain.get((number, tool), 0)
            self._vain[number, tool] = 0 if effect else vain + 1
            share /= 1 + vain
        if SearchPart.LEARNING not in self._without:
            self._worth.count(number, share, effect=effect)
        self._tries += 1
        if self._tries % SORTED_AFTER == 0:
            self._sort()

    def is_first(self, score: int, facts: Iterable[Fact]) -> bool:
        """Whether a deed makes something true that none has made true at its score."""
        new = {(score, fact) for fact in facts} - self._effects
        self._effects |= new
        return bool(new)

    def missed(self, unit: Unit, number: int) -> None:
        """A phrase was answered as if a thing of the unit were not there; it may be one for words alone."""
        if unit.gaps == SPOKEN or len(unit.things) == 2:
            self.tried(unit, number, effect=False)
        if unit.gaps == SPOKEN:
            return
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
                self._of_scenes.talkative.add(unit.anchor)
                return True
            if SearchPart.ANSWERS in self._without:
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
        return self._worked(self.of(scene, place, score))

    def interesting(self, scene: Scene, place: Hashable, score: int) -> list[str]:
        """The same, with a thing here that is not held."""
        units = self.of(scene, place, score)
        return self._worked(unit for unit in units if len(unit.things) == 1 and not unit.things[0].held)

    def _worked(self, units: Iterable[Unit]) -> list[str]:
        found: list[str] = []
        for unit in units:
            found += unit.deeds
            found += (self.action(unit, number) for number in sorted(unit.curious))
        return found

    def earned(self, unit: Unit, number: int) -> None:
        """A phrase has earned points with a unit: with others of the same anchor it may earn more."""
        if unit.things and SearchPart.EARNED not in self._without:
            self._earned.setdefault(unit.anchor, set()).add(number)
            self._version += 1
