"""Does an action again: after a wait, where it ended the game, and while its answers differ."""

from __future__ import annotations

from dataclasses import dataclass, field

from search.environment import Outcome
from search.frontier.deeds import ANSWERS, DeedReader, DeedResult
from search.frontier.parts import SearchPart
from search.frontier.scene import SceneReader
from search.frontier.sweep import Stop
from search.frontier.units.unit import Unit
from zmachine.reading.surroundings import words_in

WAIT = "wait"
REPEATS = 8
"""How often an action with an effect is repeated while its answer differs."""
CURIOUS = 3
"""How often an action without an effect is repeated, if its answer is new and differs again."""
WAITS = 2
"""How long is waited before an action is retried that ended the game: chance may have it otherwise."""


@dataclass
class AnswerMemory:
    """All answers so far, without the names of the things they are about."""

    scenes: SceneReader
    _heard: set[str] = field(default_factory=set)

    def plain(self, outcome: Outcome, unit: Unit) -> str:
        """An answer without what the story calls the unit's things."""
        names = set[str]()
        for thing in unit.things:
            names.update(thing.noun.split(), self.scenes.names(thing.number))
        return " ".join(word for word in words_in(outcome.observation) if word not in names)

    def is_new(self, answer: str) -> bool:
        """Whether a plain answer was never heard before; it is remembered."""
        if answer in self._heard:
            return False
        self._heard.add(answer)
        return True


@dataclass
class Persister:
    """Does actions again, from the stop where they were done."""

    deeds: DeedReader
    answers: AnswerMemory
    without: frozenset[SearchPart] = frozenset()

    def survived(self, stop: Stop, line: tuple[str, ...]) -> tuple[tuple[str, ...], Outcome]:
        """Actions at a stop; if they end the game, the same after a wait, if that ends otherwise.

        A question that they lead to is answered.
        """
        environment = self.deeds.environment
        first: Outcome | None = None
        for waits in range(1 if SearchPart.WAITING in self.without else WAITS + 1):
            environment.restore(stop.position)
            actions = (*(WAIT,) * waits, *line)
            for each in actions:
                outcome = environment.step(each)
                if outcome.done:
                    break
            if not outcome.done and environment.save().asks:
                actions, outcome = self._answered(actions, outcome)
            first = first or outcome
            if not outcome.lost or outcome.score > stop.position.score:
                return actions, outcome
        assert first is not None
        return line, first

    def _answered(self, actions: tuple[str, ...], outcome: Outcome) -> tuple[tuple[str, ...], Outcome]:
        """Actions that have led to a question, with an answer; without one, if each ends the game."""
        environment = self.deeds.environment
        asked = environment.save()
        for answer in ANSWERS:
            environment.restore(asked)
            answered = environment.step(answer)
            if not answered.lost:
                return (*actions, answer), answered
        environment.restore(asked)
        return actions, outcome

    def insisted(self, stop: Stop, unit: Unit, action: str) -> DeedResult | None:
        """An action again that had no effect: fights and digging take their time."""
        if SearchPart.INSISTING in self.without:
            return None
        environment = self.deeds.environment
        environment.restore(stop.position)
        environment.step(action)
        actions: tuple[str, ...] = (action,)
        for _ in range(CURIOUS):
            outcome = environment.step(action)
            actions = (*actions, action)
            is_new = self.answers.is_new(self.answers.plain(outcome, unit))
            if outcome.done or outcome.refused or not is_new:
                return None
            if deed := self.deeds.found(stop, actions):
                return deed
        return None

    def repeated(self, stop: Stop, deed: DeedResult, outcome: Outcome) -> DeedResult:
        """A deed again, while its answer and something else changes."""
        if SearchPart.REPEATING in self.without:
            return deed
        environment, facts, action = self.deeds.environment, self.deeds.facts, deed.actions[-1]
        actions, memory, text = deed.actions, deed.memory, outcome.observation
        environment.restore(deed.position)
        for _ in range(REPEATS):
            before = environment.save()
            outcome = environment.step(action)
            if outcome.lost or outcome.refused:
                environment.restore(before)
                environment.step(WAIT)
                outcome = environment.step(action)
                actions = (*actions, WAIT)
            actions = (*actions, action)
            if outcome.lost or outcome.refused or outcome.observation == text:
                break
            text, earlier, memory = outcome.observation, memory, facts.vector()
            again = self.deeds.found(stop, actions) if facts.changes(earlier, memory) else None
            if again is None or outcome.done:
                break
            deed = again
        return deed
