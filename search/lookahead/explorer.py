"""Tries what can be done from a position: what earns points within a few moves, and what kills."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from random import Random

from search.environment import Environment, SavedPosition, SearchStopped
from search.lookahead.messages import Risk
from search.valid_actions.finder import ValidActionFinder
from zmachine.emulator.input_line import LONGEST

CANDIDATES = 80
"""Tried in each world: a world near the position is worth more than the last candidates of the first."""
TRIES, FIRST_TRIES = 6, 2
"""Of each action, each with another random generator. The first tell whether more are needed."""
WAITS = 2
"""Turns that are waited after an action: what is dangerous about it may need them."""
WAIT = "wait"
RANDOM_STATES = 2**31 - 1


@dataclass(slots=True)
class Explorer:
    """Looks ahead in one story."""

    environment: Environment
    valid_actions: ValidActionFinder = field(init=False)
    points: int = 0
    actions: tuple[str, ...] = ()
    """The shortest way to the most points."""
    risks: tuple[Risk, ...] = ()

    def __post_init__(self) -> None:
        self.valid_actions = ValidActionFinder(self.environment, CANDIDATES)

    def explore(self, known: Iterable[str], random: Random, probes: int) -> None:
        """Look ahead from the present position, where the emulator is afterwards; `known`: valid actions.

        Half of the probes, at most, tell what kills; the rest goes to what earns points.
        """
        self.points, self.actions, self.risks = 0, (), ()
        position, began = self.environment.save(), self.environment.probes
        with self._limit(began + probes // 2):
            self._weigh_risks(position, known, random)
        with self._limit(began + probes):
            self._seek_points(position, known)
        self.environment.restore(position)

    @contextmanager
    def _limit(self, probes: int) -> Iterator[None]:
        """End the block's work when so many probes have been spent in all."""

        def check(spent: int) -> None:
            if spent >= probes:
                raise SearchStopped

        self.environment.frotz.check = check
        try:
            with suppress(SearchStopped):
                yield
        finally:
            self.environment.frotz.check = None

    def _here(self, known: Iterable[str]) -> list[str]:
        actions = dict.fromkeys((*known, *self.valid_actions.here()))
        return [action for action in actions if len(action) <= LONGEST]

    def _weigh_risks(self, position: SavedPosition, known: Iterable[str], random: Random) -> None:
        self.environment.restore(position)
        for action in self._here(known):
            risk = self._risk_of(action, position, random)
            if risk.deaths:
                ordered = sorted((*self.risks, risk), key=lambda each: -each.deaths / each.tries)
                self.risks = tuple(ordered)

    def _risk_of(self, action: str, position: SavedPosition, random: Random) -> Risk:
        texts: set[str] = set()
        tries = deaths = 0
        while tries < TRIES and (tries < FIRST_TRIES or deaths or len(texts) > 1):
            self.environment.restore(rerolled(position, random))
            outcome = self.environment.step(action)
            texts.add(outcome.text)
            for _ in range(WAITS):
                if not outcome.done:
                    outcome = self.environment.step(WAIT)
            tries, deaths = tries + 1, deaths + outcome.lost
        return Risk(action, tries, deaths)

    def _seek_points(self, position: SavedPosition, known: Iterable[str]) -> None:
        """Breadth first over the worlds that can be reached, each once."""
        self.environment.restore(position)
        seen = {(self.environment.world(), position.score)}
        queue = deque([(position, tuple[str, ...](), known)])
        while queue:
            origin, path, also = queue.popleft()
            self.environment.restore(origin)
            for action in self._here(also):
                self.environment.restore(origin)
                outcome = self.environment.step(action)
                if outcome.lost:
                    continue
                self._note(outcome.score - position.score, (*path, action))
                key = (self.environment.world(), outcome.score)
                if not outcome.done and key not in seen:
                    seen.add(key)
                    queue.append((self.environment.save(), (*path, action), ()))

    def _note(self, points: int, actions: Sequence[str]) -> None:
        if points > self.points:
            self.points, self.actions = points, tuple(actions)


def rerolled(position: SavedPosition, random: Random) -> SavedPosition:
    """The position with another state of the random generator."""
    _, interval, counter = position.state.random
    chance = (random.randrange(RANDOM_STATES), interval, counter)
    return replace(position, state=replace(position.state, random=chance))
