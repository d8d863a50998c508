"""Walks to every place that can be reached from a position, by saving and restoring: walking is free."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from random import Random

from search.environment import Environment, Place, SavedPosition
from search.frontier.facts.places import Vector
from search.frontier.facts.reader import FactReader
from search.frontier.scene import Scene, SceneReader
from search.routes import Route, Ways, routes_from
from zmachine.grammar.candidates import DIRECTIONS

LocalState = tuple[tuple[int, ...], int]
"""What deeds at a place have changed there, and a hash of that and of all things in reach."""
FARTHEST = 200
"""Places of one sweep."""
MENTIONED = 40
"""Words of one place's texts."""
TOUCHED = 48
"""Bytes that deeds at a place have changed, and that may matter for its ways."""
TOPICS, MOST_TOPICS = 80, 200
"""Words somebody may be asked about; those that name no object are kept for that alone, so more of them."""
FEW_PLACES = 2
"""Where a way is refused for a reason of its own: the usual answer is given in more places."""
AGAIN = 0.04
"""How likely a way that was barred is tried again, though nothing here has changed."""


@dataclass(slots=True)
class Stop:
    """A place that was reached."""

    place: Place
    position: SavedPosition
    memory: Vector
    scene: Scene
    route: tuple[str, ...]
    dark: bool = False
    waited: tuple[Vector, Place] | None = None
    """The memory after a wait here, and the place, once they were asked for."""


@dataclass(frozen=True, slots=True)
class MoveEvent:
    """A move that did more than move."""

    stop: Stop
    way: str
    position: SavedPosition
    memory: Vector
    changed: list[int]


@dataclass(slots=True)
class Sweep:
    """The places that were reached, nearest first, and the ways between them."""

    stops: dict[Place, Stop] = field(default_factory=dict)
    ways: Ways = field(default_factory=dict)
    events: list[MoveEvent] = field(default_factory=list)

    def route(self, start: Place, goals: set[Place]) -> Route | None:
        """The shortest way to the nearest of some places; None: there is none."""
        return next((route for place, route in routes_from(self.ways, start) if place in goals), None)

    def returning(self, goal: Place) -> set[Place]:
        """The places that a way leads from to some place, that one included."""
        reached = {goal}
        while more := self._leading_to(reached) - reached:
            reached |= more
        return reached

    def _leading_to(self, places: set[Place]) -> set[Place]:
        return {start for start, ways in self.ways.items() if not places.isdisjoint(ways.values())}


class Walker:
    """Sweeps, and remembers which ways there are."""

    def __init__(
        self, environment: Environment, facts: FactReader, scenes: SceneReader, random: Random
    ) -> None:
        self._environment, self._facts, self._scenes, self._random = environment, facts, scenes, random
        known = environment.tables.dictionary.known
        self.directions = [way for way in DIRECTIONS if known(way)]
        self._named = scenes.named_by()
        self.ways: dict[Place, set[str]] = {}
        """The ways that have ever led elsewhere."""
        self._barred: dict[tuple[Place, str], set[LocalState]] = {}
        """The ways that did not, with the states of things there."""
        self._refusals: dict[Place, dict[str, str]] = {}
        """What was answered there last, by way."""
        self._refused_at: dict[str, set[Place]] = {}
        """Where each of these answers was given."""
        self._led: dict[tuple[Place, str], tuple[LocalState, Place]] = {}
        """Where a way led that did nothing else, and the state of things there."""
        self._touched: dict[Place, list[int]] = {}
        """What deeds at a place have changed: it may bar ways, or open them."""
        self._earning: set[Place] = set()
        """Where deeds have earned points: that may open ways there, though nothing else tells of it."""
        self.mentioned: dict[Place, list[str]] = {}
        self._looked: set[tuple[Place, bool]] = set()
        """Places where was looked, and whether it was dark."""
        self.topics: list[str] = []
        """Words of the texts that somebody may be asked about."""
        self.words: list[str] = []
        """All nouns of the texts."""
        self._texts: set[str] = set()
        self.is_news: Callable[[int, Vector, list[int]], bool] = lambda score, memory, changed: True
        """Whether changes make something true that was not true before at this score."""

    def stop(self, route: tuple[str, ...], *, dark: bool | None = None) -> Stop:
        """Where the emulator is now. `dark`: whether it is dark; None: that is to be found out."""
        environment = self._environment
        place = self._facts.place()
        self._facts.learned.add_room(place[0])
        position = environment.save()
        if dark is None or (place, dark) not in self._looked:
            looked = environment.step("look").observation
            dark = self._scenes.is_dark(place[0], looked)
            self._looked.add((place, dark))
            self.mentioned.setdefault(place, [])
            self.read(place, looked)
            environment.restore(position)
        scene = self._scenes.scene(environment.tree(), self.mentioned[place], dark=dark)
        return Stop(place, position, self._facts.vector(), scene, route, dark)

    def read(self, place: Place, text: str) -> bool:
        """Words of a new text may name things at the place; whether there are any."""
        if text in self._texts:
            return False
        self._texts.add(text)
        for topic in self._scenes.topics_of(text):
            if topic not in self.words:
                self.words.append(topic)
            most = MOST_TOPICS if self._scenes.is_mere_topic(topic) else TOPICS
            if topic not in self.topics and len(self.topics) < most:
                self.topics.append(topic)
        words = self.mentioned.setdefault(place, [])
        found = [word for word in self._scenes.words_of(text) if word not in words]
        words += found[: MENTIONED - len(words)]
        return bool(found)

    def whereabouts(self, stop: Stop, word: str) -> Hashable:
        """In what room, or what else, the few objects are that a word names; None: it names none, or many."""
        entry = self._environment.tables.dictionary.known(word) or ""
        return tuple(self._facts.top(stop.memory, number) for number in self._named.get(entry, ())) or None

    def sweep(self) -> Sweep:
        """From where the emulator is now."""
        sweep = Sweep()
        first = self.stop(())
        sweep.stops[first.place] = first
        queue = deque([first])
        while queue and len(sweep.stops) < FARTHEST:
            stop = queue.popleft()
            states = tuple(thing.state for thing in stop.scene.things if not thing.held)
            touched = [at for at in self._touched.get(stop.place, ()) if self._facts.learned.counts(at)]
            marks = tuple(int(stop.memory[at]) for at in touched if at not in self._facts.places.parent_at)
            if stop.place in self._earning:
                marks = (*marks, stop.position.score)
            local = marks, hash((states, marks, tuple(int(stop.memory[at]) for at in touched)))
            for way in self._ways_to_try(stop, local):
                if reached := self._step(sweep, stop, way, local):
                    queue.append(reached)
        return sweep

    def _ways_to_try(self, stop: Stop, local: LocalState) -> list[str]:
        known = self.ways.setdefault(stop.place, set())
        others = [way for way in self.directions if way not in known]
        return [*sorted(known), *(way for way in others if self._may_be_open(stop.place, way, local))]

    def _may_be_open(self, place: Place, way: str, local: LocalState) -> bool:
        """Whether to try a way: less and less often, the more states have not opened it.

        Where a deed has made something true of the place that never was, all ways are tried.
        """
        states = self._barred.get((place, way), ())
        if all(local[0] != marks for marks, _ in states):
            return True
        return self._random.random() < (AGAIN if local in states else 1 / len(states))

    def _step(self, sweep: Sweep, stop: Stop, way: str, local: LocalState) -> Stop | None:
        """Move; the place, if it is a new one that was merely walked to.

        A way whose end is reached already, and that has led there in the same state, costs no probe.
        """
        led, to = self._led.get((stop.place, way), (((), 0), stop.place))
        if led == local and to in sweep.stops:
            sweep.ways.setdefault(stop.place, {})[way] = to
            return None
        environment = self._environment
        environment.restore(stop.position)
        outcome = environment.step(way)
        place = self._facts.place()
        if outcome.done or place == stop.place:
            self._barred.setdefault((stop.place, way), set()).add(local)
            self._refusals.setdefault(stop.place, {})[way] = outcome.observation
            self._refused_at.setdefault(outcome.observation, set()).add(stop.place)
        if outcome.done:
            return None
        memory = self._facts.vector()
        if place[0] != stop.place[0]:
            self._facts.learned.note_entry(place[0], stop.memory, memory)
        changed = self._facts.changes(stop.memory, memory)
        if place != stop.place:
            self.ways.setdefault(stop.place, set()).add(way)
            self._facts.learned.note_move(changed, (stop.place, way))
            changed = self._facts.beyond_moving(stop.memory, memory, changed, stop.place[0], place[0])
        changed = self.beyond_waiting(stop, changed)
        position = environment.save()
        if outcome.score != stop.position.score or self.is_news(outcome.score, memory, changed):
            sweep.events.append(MoveEvent(stop, way, position, memory, changed))
            return None
        if place == stop.place:
            return None
        sweep.ways.setdefault(stop.place, {})[way] = place
        self._led[stop.place, way] = local, place
        if place in sweep.stops:
            return None
        dark = self._scenes.is_dark(place[0], outcome.observation)
        sweep.stops[place] = reached = self.stop((*stop.route, way), dark=dark)
        return reached

    def barred(self, place: Place) -> list[str]:
        """The ways from a place that led nowhere, and whose answer was given in few places."""
        refusals = self._refusals.get(place, {})
        return [way for way, answer in refusals.items() if len(self._refused_at[answer]) <= FEW_PLACES]

    def forget_ways(self) -> None:
        """Walk again where ways led that did nothing else, for what else counts may have changed."""
        self._led.clear()

    def note_deed(self, place: Place, changed: Iterable[int]) -> None:
        """Remember what a deed at a place has changed."""
        touched = self._touched.setdefault(place, [])
        touched.extend(at for at in changed if at not in touched and len(touched) < TOUCHED)

    def note_earning(self, place: Place) -> None:
        """Remember that a deed at a place has earned points."""
        self._earning.add(place)

    def note_way(self, stop: Stop, action: str) -> bool:
        """Remember an action, if it has led where waiting would not have led; whether it has."""
        place = self._facts.place()
        if place == stop.place or place == self._waited(stop)[1]:
            return False
        self.ways.setdefault(stop.place, set()).add(action)
        return True

    def beyond_waiting(self, stop: Stop, changed: list[int]) -> list[int]:
        """The changes that waiting would not have made as well. The position stays."""
        if not changed:
            return changed
        waited, _ = self._waited(stop)
        return [at for at in changed if waited[at] == stop.memory[at]]

    def _waited(self, stop: Stop) -> tuple[Vector, Place]:
        """The memory and the place after a wait. The position stays."""
        if stop.waited is None:
            now = self._environment.save()
            self._environment.restore(stop.position)
            self._environment.step("wait")
            stop.waited = self._facts.vector(), self._facts.place()
            self._environment.restore(now)
        return stop.waited
