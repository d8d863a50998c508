"""Which units a scene has: the place itself, each thing, each pair, and what people may be asked about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from search.frontier.parts import SearchPart
from search.frontier.scene import ReachableThing, Scene
from search.frontier.units.unit import Unit

TOPICAL, NEARBY, HELD_ALONE, SPOKEN = 3, 4, 5, 6
"""Stand for the number of gaps of a phrase with a topic, of one for two things of which none is held, of one
for a thing that is held, and of one for a word that is said: what such phrases do is learned apart."""
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
MOST_SCENES = 2000


class SceneUnits:
    """All units met so far, by what they are of; each is the same object whenever it is met."""

    def __init__(self, topics: Sequence[str], without: frozenset[SearchPart] = frozenset()) -> None:
        """`topics`: those known so far."""
        self.talkative: set[Hashable] = set()
        """The things that had more than the usual to say."""
        self._topics, self._without = topics, without
        self._units: dict[Hashable, Unit] = {}
        self._scenes: dict[Hashable, tuple[tuple[int, int], list[Unit]]] = {}
        """The units of scenes met lately, with the numbers of topics and of talkative things at the time."""
        self._places: dict[Hashable, set[Hashable]] = {}
        """Where things were met; of held ones, in each state."""

    def __len__(self) -> int:
        return len(self._units)

    def of(self, scene: Scene, place: Hashable, score: int) -> list[Unit]:
        """The units of a scene."""
        key = (scene.things, place, score)
        known = self._scenes.get(key)
        talk = (len(self._topics), len(self.talkative))
        if known is None or known[0] != talk:
            if len(self._scenes) >= MOST_SCENES:
                self._scenes.clear()
            known = self._scenes[key] = talk, list(self._listed(scene, place, score))
        return known[1]

    def forget(self, phrases: set[int]) -> None:
        """Phrases that were tried may do something now."""
        for unit in self._units.values():
            if phrases & (unit.tried | unit.before):
                unit.tried -= phrases
                unit.before -= phrases
                unit.version = -1

    def of_words(
        self, words: Iterable[str], whereabouts: Callable[[str], Hashable], score: int
    ) -> Iterator[Unit]:
        """A unit for each word of the texts, wherever it is said; `whereabouts`: of what it names."""
        for word in words:
            where = whereabouts(word)
            factor = TOPIC if where is None else MENTIONED
            thing = ReachableThing(0, word, held=False, state=0)
            yield self._unit((word, where), (thing,), word, factor, score, SPOKEN)

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
            for topic in self._topics if named in self.talkative else self._topics[:1]:
                asked: Hashable = (named, topic, thing.state)
                pair = (thing, ReachableThing(0, topic, held=False, state=0))
                yield self._unit(asked, pair, named, TOPIC, score, TOPICAL)

    def _elsewhere(self, thing: ReachableThing, place: Hashable) -> float:
        """How much is expected of a thing at a place, beside the places where it was met first."""
        if SearchPart.PLACES in self._without:
            return 1.0
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
