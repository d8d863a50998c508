"""What is in reach at a place, each thing with a noun of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from search.environment import Environment
from zmachine.dictionary import NOUN
from zmachine.grammar.candidates import DIRECTIONS, NO_NAMES
from zmachine.object_table import Tree
from zmachine.reading.surroundings import WORD, words_in

DEEPEST = 4
FEW = 2
"""Objects of one word."""
SHORTEST = 3
"""Letters of a topic."""


@dataclass(frozen=True, slots=True)
class ReachableThing:
    """Something in reach. `number`: its object; 0: only a text names it."""

    number: int
    noun: str
    held: bool
    state: int
    """A hash of its attributes, of what it is in, and of the room and its light, unless it is held."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The place, and what is in reach there."""

    room: int
    things: tuple[ReachableThing, ...]
    held: frozenset[int]


class SceneReader:
    """Reads scenes from the emulator's memory."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        tables = environment.tables
        self._dictionary = tables.dictionary
        self._forms = {n: self._forms_of(n) for n in range(1, tables.layout.count + 1)}
        self._ways = {way[: tables.dictionary.length] for way in DIRECTIONS}

    def _forms_of(self, number: int) -> tuple[str, ...]:
        """The ways to name an object, the shortest first; none: the parser has no word for it."""
        tables = self._environment.tables
        own = tables.words.get(number, ())
        dictionary = tables.dictionary
        named = [word for word in words_in(tables.shown[number]) if dictionary.known(word)]
        fitting = [word for word in named if not own or dictionary.known(word) in own]
        others = [word for word in own if WORD.fullmatch(word) and word not in fitting]
        nouns = [*reversed(fitting), *others]
        if not nouns:
            return ()
        pairs = [f"{one} {nouns[0]}" for one in (*fitting[:-1], *others) if one != nouns[0]]
        return tuple(dict.fromkeys((*nouns, *pairs)))

    def forms(self, number: int) -> tuple[str, ...]:
        """The ways to name an object."""
        return self._forms.get(number, ())

    def named_by(self) -> dict[str, list[int]]:
        """The objects of each word that names few of them."""
        found = dict[str, list[int]]()
        for number, words in self._environment.tables.words.items():
            for word in words:
                found.setdefault(word, []).append(number)
        return {word: numbers for word, numbers in found.items() if len(numbers) <= FEW}

    def names(self, number: int) -> frozenset[str]:
        """The words of an object's name; none for 0."""
        return frozenset(words_in(self._environment.tables.shown[number])) if number else frozenset()

    def is_dark(self, room: int, text: str) -> bool:
        """Whether a text that describes where the player is does not name the room."""
        return not self.names(room) <= set(words_in(text))

    def scene(self, tree: Tree, mentioned: Sequence[str], *, dark: bool = False) -> Scene:
        """The scene; `mentioned`: words of the texts here that may name a thing without an object."""
        environment = self._environment
        area, layout = environment.objects(), environment.tables.layout
        player, room = environment.player, environment.room()
        held = self._inside(tree, player, player) if player else []
        seen = self._inside(tree, room, player) if room else []
        nouns = self._nouns([*held, *seen])
        carried = set(held)
        things = []
        alike = set()
        for number in (*held, *seen):
            noun, where = nouns.get(number), (self._forms[number], tree.parents[number])
            if noun and where not in alike:
                alike.add(where)
                chain = [number, *tree.ancestors(number)]
                top = next((at for at, each in enumerate(chain) if each in (player, room)), len(chain))
                marks = tuple((each, layout.kind(area, each)) for each in chain[:top])
                light = () if number in carried else (room, dark)
                things.append(ReachableThing(number, noun, number in carried, hash((marks, light))))
        covered = {form for thing in things for form in self._covered(thing.number)}
        for word in mentioned:
            entry = self._dictionary.known(word)
            if entry and entry not in covered:
                covered.add(entry)
                things.append(ReachableThing(0, word, False, hash((room, dark))))
        return Scene(room, tuple(things), frozenset(carried))

    def _covered(self, number: int) -> tuple[str, ...]:
        length = self._dictionary.length
        words = self._environment.tables.words.get(number, ())
        return (*words, *(word[:length] for word in words_in(self._environment.tables.shown[number])))

    def _nouns(self, numbers: Sequence[int]) -> dict[int, str]:
        """For each object the shortest form that no other object here shares, else its first."""
        counts = Counter(form for number in set(numbers) for form in self._forms[number])
        found: dict[int, str] = {}
        for number in numbers:
            forms = self._forms[number]
            if forms:
                found[number] = next((form for form in forms if counts[form] == 1), forms[0])
        return found

    def _inside(self, tree: Tree, around: int, without: int, depth: int = 0) -> list[int]:
        found: list[int] = []
        for number in tree.inside(around):
            if number != without:
                found.append(number)
                if depth < DEEPEST:
                    found += self._inside(tree, number, without, depth + 1)
        return found

    def words_of(self, text: str) -> list[str]:
        """The words of a text that may name a thing: any noun, in a story whose objects have no words."""
        things = self._environment.tables.things
        found = []
        for word in dict.fromkeys(words_in(text)):
            entry = self._dictionary.known(word)
            if not entry or word in NO_NAMES or entry in self._ways:
                continue
            if (entry in things or not things) and self._dictionary.is_noun(entry):
                found.append(word)
        return found

    def is_mere_topic(self, word: str) -> bool:
        """Whether a noun names no object, and is no other part of speech: it is there to be talked about."""
        entry = self._dictionary.known(word)
        if entry is None or entry in self._environment.tables.things:
            return False
        return self._dictionary.data[entry][0] == NOUN

    def topics_of(self, text: str) -> list[str]:
        """The words of a text that somebody may know something about."""
        return [
            word
            for word in dict.fromkeys(words_in(text))
            if len(word) >= SHORTEST and word not in NO_NAMES and self._dictionary.is_noun(word)
        ]
