"""What has killed the player, and who attacks."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Container, Set

from folds.attempts import Attempt
from folds.vocabulary.actions import direction_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.knowledge.experience.success import thing_of, verb_of
from services.actor.knowledge.texts import HOSTILE

_TO_BLAME, _DECAY = 5, 0.6
"""Actions to which a death is put down, and the part of each one's blame that the action before it bears."""

_TAKING_OFF = ("take off ", "remove ")
"""How the actions begin that take off what is worn."""
_SELDOM = 8
"""Tries for each death from which on it was hardly the verb that killed."""
_OFTEN = 2
"""Deaths by one action in one room after which it is left alone, whatever is held."""


class Dangers:
    """The deaths of a session, and whether somebody attacks the player now."""

    def __init__(self) -> None:
        self.deaths = 0
        self.deaths_in_light: Counter[str] = Counter()
        """By room; a death in the dark does not count: it was the darkness that killed."""
        self._deaths_by_verb: Counter[str] = Counter()
        self.attacked = False
        """Whether the last text tells of an attack."""
        self.traps: dict[str, set[str]] = defaultdict(set)
        """By room, ways into rooms out of which no way was found."""
        self._deaths_by: Counter[tuple[str, str]] = Counter()
        self._deaths_of: dict[str, Counter[str]] = defaultdict(Counter)
        """By room and the thing with which something was done that killed."""
        self._deadly_ways: dict[str, set[str]] = defaultdict(set)
        """By room, the directions that killed."""
        self._died_with: dict[tuple[str, str], frozenset[str]] = defaultdict(frozenset)
        """By room and action that killed, the nouns of all that was in hand then."""
        self._survived: set[tuple[str, str]] = set()
        """Rooms and actions that killed before, and not in this episode."""
        self._recent: deque[tuple[str, str]] = deque(maxlen=_TO_BLAME)
        self._blame: dict[str, dict[str, float]] = defaultdict(dict)
        """By room and action."""
        self._deadly_in_the_dark: dict[str, set[str]] = defaultdict(set)

    def begin(self) -> None:
        """In a new episode nothing has been done yet."""
        self._recent.clear()
        self._survived.clear()

    def note_action(self, room: str, action: str) -> None:
        """Remember an action; if a death follows soon, it may have led to it."""
        self._recent.append((room, action))

    def blame_for(self, room: str, action: str) -> float:
        """From 0 to 1: how often, and how shortly before deaths, an action was done in a room."""
        return min(1.0, self._blame.get(room, {}).get(action, 0.0))

    def note_death(self, room: str, action: str, held: Set[str] = frozenset(), *, dark: bool) -> None:
        """Remember an action that has ended the game without winning it, and the nouns of what was held."""
        self.deaths += 1
        self._deaths_by[room, action] += 1
        self._died_with[room, action] |= held
        if direction_of(action):
            self._deadly_ways[room].add(action)
        elif thing := thing_of(action):
            self._deaths_of[room][thing] += 1
        for age, (where, done) in enumerate(reversed(self._recent)):
            self._blame[where][done] = self._blame[where].get(done, 0.0) + _DECAY**age
        self._recent.clear()
        if dark:
            self._deadly_in_the_dark[room].add(action)
        else:
            self.deaths_in_light[room] += 1
            self._deaths_by_verb[verb_of(action)] += 1

    def safety_of(self, room: str, action: str, blamed: float) -> float:
        """From 1 down by the part `blamed`: what is left of an action's worth by the blame that it bears.

        What was done with a thing and killed speaks against everything else that is done with it there.
        """
        if room not in self._blame and room not in self._deaths_of:
            return 1.0
        deaths = self._deaths_of[room][thing_of(action)]
        return (1.0 - blamed * self.blame_for(room, action)) * (1.0 - blamed) ** deaths

    def safety_of_ways(self, room: str, blamed: float) -> float:
        """The same of a way that was not walked yet: each that has killed speaks against it, but for one."""
        return (1.0 - blamed) ** max(0, len(self._deadly_ways.get(room, ())) - 1)

    def is_deadly(self, verb: str, tries: int) -> bool:
        """Whether a verb has killed, and not just once in many tries."""
        return self._deaths_by_verb[verb] * _SELDOM > tries

    def note_survival(self, room: str, action: str) -> None:
        """Remember that an action that killed before does not do so any more in this episode."""
        if (room, action) in self._deaths_by:
            self._survived.add((room, action))

    def note_taken_off(self, attempt: Attempt, done: Container[str]) -> None:
        """What was survived may have been thanks to what was worn, and is taken off or no longer in hand."""
        is_off = attempt.action.startswith(_TAKING_OFF) and attempt.changed
        if is_off or any(f"wear {head_of(name)}" in done for name in attempt.lost):
            self._survived.clear()

    def is_survived(self, room: str, action: str) -> bool:
        """Whether an action that killed before was survived since in this episode."""
        return (room, action) in self._survived

    def new_since_death(self, room: str, action: str, held: Set[str]) -> Set[str]:
        """What is held, or was done, and was not when an action killed; nothing, where it killed often."""
        deaths = self._deaths_by.get((room, action), 0)
        return held - self._died_with[room, action] if 0 < deaths < _OFTEN else frozenset()

    def learn(self, room: str, action: str, *, dark: bool) -> None:
        """Remember what an earlier session died of."""
        if dark:
            self._deadly_in_the_dark[room].add(action)
        else:
            self._deaths_by_verb[verb_of(action)] += 1

    def deadly_in_the_dark(self, room: str) -> Set[str]:
        """Actions that have killed in a room while it was dark."""
        return self._deadly_in_the_dark.get(room, frozenset())

    def see(self, step: StepTaken) -> None:
        """Note whether a step's text tells of an attack."""
        self.attacked = bool(HOSTILE.search(step.observation))
