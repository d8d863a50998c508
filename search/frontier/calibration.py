"""Learns at the opening what tells nothing: what idle commands change, any walk, and naming absent things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from search.environment import Environment, SavedPosition
from search.frontier.facts.learned import SEVERAL
from search.frontier.facts.reader import FactReader
from search.frontier.scene import SceneReader
from zmachine.reading.surroundings import words_in

IDLE = ("look", "inventory", "zzz", "examine zzz", "take zzz", "wait", "look", "inventory")
WAITS = 30
EXAMINED, WALKED = 6, 8
"""Things that are examined at a place, and places."""
NAMING = ("take", "read")
"""Verbs with which things are named that are not there."""
MENTIONED = 0.3
"""The share of phrases that change an attribute, from which on it tells that a thing was mentioned."""
ABSENT = 12
"""Things that are named while they are not there, to learn what that does and how it is answered."""
OFTEN = 3
"""Such answers that are alike."""


class Calibration:
    """Tries idle commands, walks about a little, and tries phrases; `run` it once, at the opening."""

    def __init__(
        self,
        environment: Environment,
        facts: FactReader,
        ways: Sequence[str],
        examinable: Callable[[], Sequence[str]],
        phrases: Sequence[str],
        absent: Sequence[str],
    ) -> None:
        """`examinable`: the nouns of what is in reach now; `absent`: some of what is not.

        `phrases`: of verbs, with gaps or none.
        """
        self._environment, self._facts = environment, facts
        self._ways, self._phrases, self._absent = ways, phrases, absent
        self._examinable = examinable
        self._examined = Counter[int]()
        """How often a place in memory was changed by examining, or by walking to a room."""
        self._verbs = Counter[int]()
        """By how many verbs."""
        self._marks = Counter[tuple[int, int]]()
        """By how many phrases an attribute was changed."""
        self._phrases_tried = 0

    def run(self) -> None:
        """Leave out of the facts what changes by itself. The emulator stays where it is.

        A variable that several verbs change tells of the parser, not of the world; so does one that changes
        where things are named that are not there. An attribute that many verbs change tells that a thing was
        mentioned.
        """
        facts, start = self._facts, self._environment.save()
        learned = facts.learned
        learned.leave_out(self._idle(start))
        named = [f"{verb} {noun}" for noun in self._absent for verb in NAMING]
        naming = Counter(at for action in named for at in self._changed_by(start, action))
        often = (at for at, count in naming.items() if count >= SEVERAL)
        learned.leave_out(at for at in often if facts.places.is_variable(at))
        places, seen = [start], {facts.place()[0]}
        for position in places:
            self._environment.restore(position)
            learned.add_room(facts.place()[0])
            self._try_phrases(position, self._phrases if position is start else self._some(len(places)))
            for reached in self._walked(position, seen):
                if len(places) < WALKED:
                    places.append(reached)
        learned.leave_out(
            at for at, n in self._examined.items() if n > 1 and at not in facts.places.parent_at
        )
        learned.leave_out(
            at for at, n in self._verbs.items() if n >= SEVERAL and facts.places.is_variable(at)
        )
        for (offset, bit), count in self._marks.items():
            if count > max(SEVERAL, MENTIONED * self._phrases_tried):
                learned.leave_out_attribute(offset, bit)
        self._environment.restore(start)

    def _some(self, first: int) -> Sequence[str]:
        """A part of the phrases."""
        return self._phrases[first::WALKED]

    def _try_phrases(self, position: SavedPosition, phrases: Sequence[str]) -> None:
        """Try phrases on the first things at a place, and examine all."""
        nouns = self._examinable()[:EXAMINED]
        for noun in nouns:
            self._examined.update(self._changed_by(position, f"examine {noun}"))
        self._environment.restore(position)
        before = self._facts.vector()
        for phrase in phrases:
            gaps = phrase.count("{}")
            if gaps <= len(nouns):
                changed = self._changed_by(position, phrase.format(*nouns[:gaps]))
                self._verbs.update(changed)
                self._marks.update(self._facts.attributes_changed(before, changed))
                self._phrases_tried += gaps > 0

    def _walked(self, position: SavedPosition, seen: set[int]) -> Iterator[SavedPosition]:
        """Walk all ways from a place; the rooms that were not seen before."""
        facts = self._facts
        self._environment.restore(position)
        before = facts.vector()
        for way in self._ways:
            changed = self._changed_by(position, way)
            room = facts.place()[0]
            facts.learned.note_entry(room, before, facts.vector())
            facts.learned.note_move(changed, (position.score, room, way))
            reached = self._environment.save()
            if not reached.done and room not in seen:
                seen.add(room)
                self._examined.update(changed)
                yield reached

    def _idle(self, start: SavedPosition) -> set[int]:
        """What idle commands change, and waiting."""
        changed = set[int]()
        for actions in (IDLE, ("wait",) * WAITS):
            self._environment.restore(start)
            for action in actions:
                if self._environment.save().done:
                    break
                before = self._facts.vector()
                self._environment.step(action)
                changed.update(self._facts.changes(before, self._facts.vector()))
        return changed

    def _changed_by(self, position: SavedPosition, action: str) -> list[int]:
        self._environment.restore(position)
        before = self._facts.vector()
        self._environment.step(action)
        return self._facts.changes(before, self._facts.vector())


def absent_nouns(environment: Environment, scenes: SceneReader) -> list[str]:
    """Some nouns of things that are not in reach."""
    here = {thing.number for thing in scenes.scene(environment.tree(), ()).things}
    named = {form for number in here for form in scenes.forms(number)}
    count = environment.tables.layout.count
    nouns = [scenes.forms(n)[0] for n in range(1, count + 1) if n not in here and scenes.forms(n)]
    return [noun for noun in nouns if noun not in named][:: max(1, len(nouns) // ABSENT)]


def absent_answers(environment: Environment, absent: Sequence[str]) -> frozenset[str]:
    """How the story answers to a thing that is not in reach, without the thing's noun."""
    return usual_answers(
        environment, [(f"{verb} {noun}", noun) for noun in absent for verb in ("take", "examine")]
    )


def usual_answers(environment: Environment, sample: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The answers, without the noun, that come often; a sample's items are an action and its noun.

    Each action is done from where the emulator is, and stays.
    """
    start, answers = environment.save(), Counter[str]()
    for action, noun in sample:
        environment.restore(start)
        answers[plain_answer(environment.step(action).observation, noun)] += 1
    environment.restore(start)
    return frozenset(answer for answer, count in answers.items() if count >= OFTEN)


def plain_answer(text: str, noun: str) -> str:
    """The words of a text without those of a noun."""
    return " ".join(word for word in words_in(text) if word not in noun.split())
