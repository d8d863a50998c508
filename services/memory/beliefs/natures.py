"""What kind of thing a thing shows itself to be, and what characters say."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from folds.text.phrases import REFUSED, is_fruitless
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
from services.memory.beliefs.places import thing_entity, thing_id, things_seen

SAYING_LENGTH = 500
GENERAL = "in general"
"""The topic of talk that names none."""


class Natures:
    """Writes `is_a` and `said_TOPIC` into a ledger."""

    def __init__(self, ledger: FactLog) -> None:
        self._facts = ledger
        self._said: dict[tuple[str, str], str] = {}
        self._known: set[tuple[str, str]] = set()

    def after(self, step: StepTaken, *, by_text: bool) -> None:
        """Learn from what a step shows and what is said in it; `by_text`: only the text tells of things."""
        seen = things_seen(step)
        containers = {thing.container for thing in seen if thing.container is not None}
        for thing in seen:
            for nature in _natures(thing, containers):
                self._is(thing_id(thing), nature)
        spoken = talk_in(step.action or "")
        if spoken and not REFUSED.search(step.observation) and not is_fruitless(step.observation):
            self._hear(step, *spoken, by_text)

    def _is(self, thing: str, nature: Entity) -> None:
        if (thing, nature.id) not in self._known:
            self._known.add((thing, nature.id))
            self._facts.begin((thing, IS_A, self._facts.meet(nature)))

    def _hear(self, step: StepTaken, who: str, topic: str, by_text: bool) -> None:
        character = self._character(step, who, by_text)
        if character is None:
            return
        self._is(character, CHARACTER)
        text = " ".join(step.observation.split())[:SAYING_LENGTH]
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        saying = self._facts.meet(Entity(f"saying:{digest}", EntityKind.SAYING, text))
        key = (character, SAID + (topic or GENERAL))
        if self._said.get(key, saying) != saying:
            self._facts.end((*key, self._said[key]))
        self._said[key] = saying
        self._facts.begin((*key, saying))

    def _character(self, step: StepTaken, who: str, by_text: bool) -> str | None:
        """Who is in sight by this name; by the name alone where things are not told."""
        named = [thing for thing in things_seen(step) if who in words_of(thing.name)]
        named.sort(key=lambda thing: not is_person(thing.name))
        if named:
            return thing_id(named[0])
        if who and by_text:
            return self._facts.meet(thing_entity(Thing(id=0, name=who)))
        return None


def _natures(thing: Thing, containers: set[int]) -> Iterator[Entity]:
    if thing.id in containers:
        yield CONTAINER
    if is_person(thing.name):
        yield CHARACTER
    if is_door(thing.name):
        yield DOOR
