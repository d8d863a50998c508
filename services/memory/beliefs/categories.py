"""What kind of thing a thing is, and what characters say."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from folds.text.phrases import is_fruitless, is_refused
from folds.vocabulary.talk import talk_in
from folds.vocabulary.words import is_person, words_of
from schemas.game import StepTaken, Thing
from services.memory.beliefs.doors import is_door
from services.memory.beliefs.facts import (
    CHARACTER,
    CONTAINER,
    DOOR,
    IS_A,
    SAID,
    Entity,
    EntityKind,
    FactLog,
)
from services.memory.beliefs.things import thing_entity, thing_id, things_seen

STATEMENT_LENGTH = 500
GENERAL_TOPIC = "in general"
"""The topic of a conversation that names none."""


class Categories:
    """A fold that writes `is_a` facts: which things are containers, characters and doors."""

    def __init__(self, log: FactLog) -> None:
        self._log = log
        self._known: set[tuple[str, str]] = set()

    def after(self, step: StepTaken) -> None:
        """Fold one step."""
        seen = things_seen(step)
        containers = {thing.container for thing in seen if thing.container is not None}
        for thing in seen:
            for category in _categories_of(thing, containers):
                self.add(thing_id(thing), category)

    def add(self, thing: str, category: Entity) -> None:
        """Put a thing into a category."""
        if (thing, category.id) not in self._known:
            self._known.add((thing, category.id))
            self._log.begin((thing, IS_A, self._log.add(category)))


class Statements:
    """A fold that writes `said_` facts: the last statement of each character on each topic."""

    def __init__(self, log: FactLog, categories: Categories) -> None:
        self._log, self._categories = log, categories
        self._last: dict[tuple[str, str], str] = {}

    def after(self, step: StepTaken, *, by_text: bool) -> None:
        """Fold one step; `by_text`: the things are known from the text alone."""
        talk = talk_in(step.action or "")
        if talk is None or is_refused(step.observation) or is_fruitless(step.observation):
            return
        name, topic = talk
        character = self._character(step, name, by_text)
        if character is not None:
            self._categories.add(character, CHARACTER)
            self._replace((character, SAID + (topic or GENERAL_TOPIC)), _statement(step.observation))

    def _replace(self, key: tuple[str, str], entity: Entity) -> None:
        statement = self._log.add(entity)
        if self._last.get(key, statement) != statement:
            self._log.end((*key, self._last[key]))
        self._last[key] = statement
        self._log.begin((*key, statement))

    def _character(self, step: StepTaken, name: str, by_text: bool) -> str | None:
        """Who is in sight by this name; where things are known from the text alone, whoever is named."""
        named = [thing for thing in things_seen(step) if name in words_of(thing.name)]
        named.sort(key=lambda thing: not is_person(thing.name))
        if named:
            return thing_id(named[0])
        return self._log.add(thing_entity(Thing(id=0, name=name))) if name and by_text else None


def _statement(observation: str) -> Entity:
    text = " ".join(observation.split())[:STATEMENT_LENGTH]
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return Entity(f"statement:{digest}", EntityKind.STATEMENT, text)


def _categories_of(thing: Thing, containers: set[int]) -> Iterator[Entity]:
    if thing.id in containers:
        yield CONTAINER
    if is_person(thing.name):
        yield CHARACTER
    if is_door(thing.name):
        yield DOOR
