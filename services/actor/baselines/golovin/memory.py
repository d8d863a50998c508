"""What Golovin remembers: places, what is carried, and what failed or killed."""

from __future__ import annotations

from collections import Counter, defaultdict

from folds.attempts import names_of
from folds.map import Map
from folds.playthrough import Playthrough
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import DIRECTIONS, direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.baselines.blacklist import Blacklist
from services.actor.baselines.reading import NOUNS, begins_episode, is_death, nouns_of

VERBOSE, LOOK = "verbose", "look"
FIGHTING = ("attack ", "kill ", "fight ", "shoot ", "punch ", "hit ")
"""How a fighting command begins."""
BLOWS = 5
"""How often a fighting command is given in a row (the paper, battle mode)."""
RARITY = 0.7
"""The exponent with which a noun that many texts have weighs less."""
TRIES_WITH_TAKEN = 3
"""Commands with a thing that was just taken."""


class GolovinPlace:
    """What is known of one place."""

    def __init__(self) -> None:
        self.nouns: tuple[str, ...] = ()
        self.gathered: set[str] = set()
        """The commands by which things were, or were to be, taken."""
        self.actions = 0
        """Other commands than these and walks."""

    def begin_again(self) -> None:
        """The place as it is when the game begins again."""
        self.gathered, self.actions = set(), 0


class GolovinMemory:
    """The agent's state, folded over the steps; after a restart it keeps its map and what killed."""

    def __init__(self) -> None:
        self.places: dict[str, GolovinPlace] = defaultdict(GolovinPlace)
        self.room = UNKNOWN_ROOM
        self.last: StepTaken | None = None
        self.map = Map()
        self.moves = 0
        self.blows = 0
        """How often in a row the last command was given, if it is a fighting one."""
        self.taken = ""
        """The thing that was taken last."""
        self.tries_with_taken = 0
        self._held: frozenset[str] = frozenset()
        self._blacklist = Blacklist()
        self._seen: Counter[str] = Counter()

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        step, before = played.last, played.before
        if step is None:
            return
        if begins_episode(step):
            self._begin()
        elif before is not None:
            self._learn(before, step, normal(step.action or ""))
        if is_death(step):
            self._blacklist.died()
        self._note_inventory(names_of(step.inventory))
        self._note_nouns(step, room_of(step))
        self.last, self.room, self.map = step, room_of(step), played.map

    @property
    def here(self) -> GolovinPlace:
        """The place where the player is."""
        return self.places[self.room]

    @property
    def things(self) -> tuple[str, ...]:
        """The nouns of this place, and what is carried."""
        return tuple(dict.fromkeys((*self.here.nouns, *map(head_of, sorted(self._held)))))

    def bans(self, room: str, command: str) -> bool:
        """Whether a command has killed in a place, or failed there since the inventory last changed."""
        return self._blacklist.bans(room, normal(command))

    def rarity(self, noun: str) -> float:
        """The less, the more texts have the noun; at most 1."""
        return float((self._seen[noun] + 1) ** -RARITY)

    def untried_ways(self, room: str) -> list[str]:
        """The directions in which nobody has walked from a place, or tried to."""
        ways = self.map.untried(room)
        return [way for way in DIRECTIONS if way in ways and not self.bans(room, way)]

    def _begin(self) -> None:
        for place in self.places.values():
            place.begin_again()
        self._blacklist.forgive()
        self.blows = self.tries_with_taken = 0
        self._held = frozenset()

    def _learn(self, before: StepTaken, step: StepTaken, command: str) -> None:
        room, place = room_of(before), self.places[room_of(before)]
        is_fight = command.startswith(FIGHTING)
        repeated = before.action is not None and normal(before.action) == command
        self.blows = (self.blows + 1 if repeated else 1) if is_fight else 0
        failed = not step.changed and room_of(step) == room
        self._blacklist.note(room, command, failed=self.blows >= BLOWS if is_fight else failed)
        if direction_of(command):
            self.moves += 1
        elif action_kind_of(command) is ActionKind.TAKE:
            place.gathered.add(command)
        else:
            place.actions += 1
        self.tries_with_taken = max(0, self.tries_with_taken - 1)

    def _note_inventory(self, held: frozenset[str]) -> None:
        if held != self._held:
            self._blacklist.forgive()
        if new := sorted(held - self._held):
            self.taken, self.tries_with_taken = head_of(new[0]), TRIES_WITH_TAKEN
        self._held = held

    def _note_nouns(self, step: StepTaken, room: str) -> None:
        place = self.places[room]
        about_the_place = not begins_episode(step) and step.action != VERBOSE
        if about_the_place and (room != self.room or not place.nouns):
            nouns = nouns_of(step.observation)
            self._seen.update(nouns)
            place.nouns = tuple(dict.fromkeys((*place.nouns, *nouns)))[:NOUNS]
