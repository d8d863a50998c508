"""NAIL's knowledge graph: places, things, what was tried with them, and what is no use anywhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from folds.attempts import names_of
from folds.map import Map
from folds.playthrough import Playthrough
from folds.text.phrases import is_fruitless, is_refused
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import direction_of, directions_in, normal
from folds.vocabulary.words import head_of, words_of
from schemas.game import StepTaken
from services.actor.baselines.nail.answers import EachAnswer, answers_to_take_all
from services.actor.baselines.reading import alike, begins_episode, is_death, nouns_of, unknown_word

TAKE_ALL = "take all"
EXAMINE = "examine"
LOOK = "look"
THINGS = 30
"""The most things of a place, with the nouns that may be things: their pairs are weighed at each step."""


class GameEntity:
    """A thing that the game knows."""

    def __init__(self, name: str) -> None:
        self.names = [name]
        self.description = ""
        """What examining it has told; empty: it has not been examined."""
        self.tried: dict[str, bool] = {}
        """By command, whether it had an effect."""

    @property
    def name(self) -> str:
        """The name under which it was found."""
        return self.names[0]


class Location:
    """A place, with its things and the nouns that may be things."""

    def __init__(self) -> None:
        self.entities: list[GameEntity] = []
        self.candidates: dict[str, None] = {}
        self.tried: dict[str, bool] = {}


class KnowledgeGraph:
    """What NAIL knows, folded over the steps; after a death it keeps all but what had an effect."""

    def __init__(self) -> None:
        self.locations: dict[str, Location] = defaultdict(Location)
        self.room = UNKNOWN_ROOM
        self.map = Map()
        self.last: StepTaken | None = None
        self.suggested: tuple[str, ...] = ()
        """The ways that the answer to the last walk named."""
        self._carried: dict[str, GameEntity] = {}
        self._held: tuple[str, ...] = ()
        self._unknown_words: set[str] = set()
        self._deadly: set[str] = set()

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        step, before = played.last, played.before
        if step is None:
            return
        command = normal(step.action or "")
        self._held = tuple(map(head_of, sorted(names_of(step.inventory))))
        if begins_episode(step):
            self._begin_again()
        elif before is not None:
            self._learn(command, step, room_of(before))
        if is_death(step) and command:
            self._deadly.add(command)
        arrived = room_of(step) != self.room
        self.room, self.map, self.last = room_of(step), played.map, step
        if (arrived or command == LOOK) and not begins_episode(step):
            self._note_nouns(step.observation)

    @property
    def here(self) -> Location:
        """The place where the player is."""
        return self.locations[self.room]

    def entities(self) -> Iterator[GameEntity]:
        """The things in this place, and those that are carried."""
        carried = {name: self._carried.get(name) for name in self._held}
        yield from (entity for entity in self.here.entities if entity.name not in carried)
        yield from filter(None, carried.values())

    def is_held(self, entity: GameEntity) -> bool:
        """Whether a thing is carried."""
        return entity.name in self._held

    def allows(self, command: str) -> bool:
        """Whether the parser knows the words of a command, and it has not killed."""
        return command not in self._deadly and self._unknown_words.isdisjoint(words_of(command))

    def _begin_again(self) -> None:
        """What failed is still known; what had an effect is to be done again."""
        for location in self.locations.values():
            location.tried = _failed(location.tried)
        for entity in self._all_entities():
            entity.tried = _failed(entity.tried)

    def _all_entities(self) -> Iterator[GameEntity]:
        for location in self.locations.values():
            yield from location.entities
        yield from self._carried.values()

    def _learn(self, command: str, step: StepTaken, room: str) -> None:
        text, location = step.observation, self.locations[room]
        effect = not is_fruitless(text)
        if word := unknown_word(command, text):
            self._unknown_words.add(word)
        self.suggested = ()
        if direction_of(command):
            self.suggested = () if room_of(step) != room else directions_in(text)
        if command == TAKE_ALL:
            answers = tuple(answers_to_take_all(text))
            effect = any(answer.taken for answer in answers) or effect
            for answer in answers:
                self._note_taking(answer, location)
        if command.startswith(f"{EXAMINE} "):
            self._note_examined(command.removeprefix(f"{EXAMINE} "), text, location)
        entity = self._entity_in(command, location)
        (entity or location).tried[command] = effect
        if effect and entity and not direction_of(command) and room_of(step) == room:
            self._note_nouns(text)
        for name in self._held:
            self._carried.setdefault(name, self._named(name, location) or GameEntity(name))

    def _note_taking(self, answer: EachAnswer, location: Location) -> None:
        entity = self._named(answer.name, location)
        if entity is None:
            entity = GameEntity(answer.name)
            location.entities.append(entity)
        entity.tried[f"take {answer.name}"] = answer.taken

    def _note_examined(self, noun: str, text: str, location: Location) -> None:
        """A noun that can be examined is a thing, or another name of one with nearly the same description."""
        location.candidates.pop(noun, None)
        known = self._named(noun, location)
        if known is not None:
            known.description = text
        elif not is_refused(text) and not is_fruitless(text):
            same = next((each for each in location.entities if alike(each.description, text)), None)
            if same is not None:
                same.names.append(noun)
            else:
                location.entities.append(GameEntity(noun))
                location.entities[-1].description = text

    def _note_nouns(self, text: str) -> None:
        location = self.here
        known = {name for entity in (*location.entities, *self._carried.values()) for name in entity.names}
        fresh = (noun for noun in nouns_of(text) if noun not in known)
        wanted = (noun for noun in fresh if f"{EXAMINE} {noun}" not in location.tried)
        room_left = max(0, THINGS - len(location.entities) - len(location.candidates))
        location.candidates.update((noun, None) for noun in islice(wanted, room_left))

    def _named(self, noun: str, location: Location) -> GameEntity | None:
        there = (entity for entity in location.entities if noun in entity.names)
        return next(there, self._carried.get(noun))

    def _entity_in(self, command: str, location: Location) -> GameEntity | None:
        """The first thing that a command names."""
        words = words_of(command)[1:]
        return next(filter(None, (self._named(word, location) for word in words)), None)


def _failed(tried: dict[str, bool]) -> dict[str, bool]:
    return {command: effect for command, effect in tried.items() if not effect}
