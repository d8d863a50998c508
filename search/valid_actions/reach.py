"""What is in reach, and by which words the parser understands it: found out by typing them.

A word that is answered like the names of things elsewhere names nothing here. A word that is answered with a
question names several things. So each thing gets a noun of its own, and no action is tried with a thing that
is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from zmachine.emulator.frotz import Frotz, MachineState
from zmachine.grammar.candidates import DIRECTIONS
from zmachine.grammar.nouns import forms_of, named_in
from zmachine.grammar.patterns import SceneNouns
from zmachine.object_table import Tree, tree_of
from zmachine.reading.surroundings import held, visible, words_in
from zmachine.reading.texts import split_status_line
from zmachine.story_tables import StoryTables

LOOK, INVENTORY, NAMED = "look", "inventory", "examine {}"
FOREIGN = 3
"""Names of things elsewhere that are typed, to learn how the story answers a name of nothing here."""
FORMS = 4
"""Names that are typed for one thing, at most."""
OBJECTS, MENTIONED = 40, 20
"""Objects, and words of the texts here, whose names are typed, at most."""
QUESTION = "?"
"""Stands for every answer that asks which thing is meant."""


@dataclass(slots=True)
class Reach:
    """What can be named at the emulator's present state, where the emulator is afterwards too."""

    frotz: Frotz
    tables: StoryTables
    player: int
    """The player's object; 0: it is not known."""
    room: int
    """The object of the place; 0: it is not known."""
    _state: MachineState = field(init=False)
    _place: tuple[int, ...] = ()
    """Where the story reads an action; a question is read elsewhere."""
    _absent: frozenset[str] = frozenset()
    """How the story answers what names nothing here; none: there is no telling."""
    _shared: set[str] = field(default_factory=set)
    """Names of a thing and of another, which has no name of its own."""

    def __post_init__(self) -> None:
        self._state = self.frotz.state()

    def nouns(self) -> SceneNouns:
        """The nouns for what is carried, seen, and named by the texts here."""
        carried, described = (words_in(self._printed(action)) for action in (INVENTORY, LOOK))
        layout = self.tables.layout
        area = self.frotz.memory(layout.start, layout.length)
        tree = tree_of(layout, area)
        mine, seen = self._objects(tree)
        covered = {word for number in (*mine, *seen) for word in self._words(number)}
        if self.tables.dictionary.known(NAMED.split()[0]):
            elsewhere = self._elsewhere(tree, {*mine, *seen}, {*covered, *carried, *described})
            self._absent = self._answers_to_absent(elsewhere)
        taken: set[str] = set()
        things = [tuple(self._things_understood(each, taken)) for each in (mine, seen)]
        words = [named_in(each, covered, self.tables)[:MENTIONED] for each in (carried, described)]
        listed, mentioned = (tuple(self._first_understood(zip(each), taken)) for each in words)
        held, around = (tuple(noun for noun, _ in each) for each in things)
        kinds = {noun: layout.kind(area, number) for each in things for noun, number in each}
        return SceneNouns(around, (*held, *listed), mentioned, kinds, frozenset(self._shared))

    def _printed(self, action: str) -> str:
        text = split_status_line(self.frotz.step(action))[0]
        self._place = self.frotz.place()
        self.frotz.restore(self._state)
        return text

    def _objects(self, tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The objects that the player carries, and those around."""
        names, me, room = self.tables.shown, self.player, self.room
        mine = held(tree, names, me, anything) if me else ()
        seen = visible(tree, names, room, me or None, anything) if room else ()
        return tuple(item.number for item in mine), tuple(item.number for item in seen[:OBJECTS])

    def _words(self, number: int) -> Iterator[str]:
        yield from self.tables.words.get(number, ())
        yield from words_in(self.tables.shown[number])

    def _forms(self, number: int) -> tuple[str, ...]:
        words = self.tables.words.get(number, ())
        return forms_of(self.tables.shown[number], words, self.tables.dictionary)[:FORMS]

    def _elsewhere(self, tree: Tree, here: set[int], covered: set[str]) -> Iterator[str]:
        """Names of things that are somewhere else, and have no word in common with what may be here.

        The directions may be here always: Inform keeps an object for each.
        """
        known = {self.tables.dictionary.known(word) for word in (*covered, *DIRECTIONS)}
        for number, parent in enumerate(tree.parents):
            forms = self._forms(number) if parent and number not in here else ()
            words = self.tables.words.get(number, ())
            if forms and known.isdisjoint(words):
                known.update(words)
                yield forms[0]

    def _answers_to_absent(self, elsewhere: Iterable[str]) -> frozenset[str]:
        """How most of these are answered."""
        answers = Counter(self._answer(noun) for noun, _ in zip(elsewhere, range(FOREIGN), strict=False))
        return frozenset(answer for answer, times in answers.items() if times > 1 and answer != QUESTION)

    def _answer(self, noun: str) -> str:
        """How the story answers a name, the name itself left out."""
        text = self.frotz.step(NAMED.format(noun))
        asks = self.frotz.place() != self._place
        self.frotz.restore(self._state)
        if asks:
            return QUESTION
        for word in noun.split():
            text = text.replace(word, "{}")
        return split_status_line(text)[0]

    def _things_understood(self, numbers: Iterable[int], taken: set[str]) -> Iterator[tuple[str, int]]:
        """Objects that can be named, each after its name."""
        for number in numbers:
            forms = self._forms(number)
            noun = next(self._first_understood((forms,), taken), None)
            if noun:
                yield noun, number
            else:
                self._shared.update(taken.intersection(forms))

    def _first_understood(self, things: Iterable[tuple[str, ...]], taken: set[str]) -> Iterator[str]:
        """Of each thing's names the first that names it, and nothing that is listed already."""
        for forms in things:
            answers = {}
            for form in forms:
                if form not in taken and (answer := self._answer(form)) not in self._absent:
                    answers[form] = answer
                    if answer != QUESTION:
                        break
            noun = next((form for form, answer in answers.items() if answer != QUESTION), "")
            if noun := noun or next(iter(answers), ""):
                taken.add(noun)
                yield noun


def anything(name: str) -> bool:
    """Every object may be in reach; whether it is, is found out."""
    return True
