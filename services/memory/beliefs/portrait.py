"""The whole graph as it was believed to be after a step, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from services.memory.beliefs.facts import IS_A, STILL, Entity, EntityKind, Fact, Turn
from services.memory.beliefs.world import World


@dataclass(frozen=True, slots=True)
class Portrait:
    """Entities, facts and steps. A fact that has ended since has an open end, as it had then."""

    step: int
    here: str | None
    entities: tuple[Entity, ...]
    natures: dict[str, tuple[str, ...]]
    """Of things that have shown themselves to be containers, characters or doors."""
    facts: tuple[Fact, ...]
    turns: tuple[Turn, ...]
    mentions: dict[int, tuple[str, ...]]
    """By step, the entities that its text was about."""

    @property
    def holding(self) -> tuple[Fact, ...]:
        """The facts that held at the step."""
        return tuple(fact for fact in self.facts if fact.valid_to == STILL)

    @property
    def rooms(self) -> tuple[Entity, ...]:
        """In the order in which they were first met."""
        return tuple(entity for entity in self.entities if entity.kind is EntityKind.ROOM)


def portrait(world: World, at: int) -> Portrait:
    """What was believed after step `at`, and since when."""
    recall = world.recall
    entities = tuple(e for e in recall.entities.values() if recall.first_met[e.id] <= at)
    facts = tuple(_facts(world, entities, at))
    room = recall.room(at)
    natures: dict[str, tuple[str, ...]] = {}
    for fact in facts:
        if fact.relation == IS_A:
            natures[fact.subject] = (*natures.get(fact.subject, ()), recall.entities[fact.object].name)
    turns = tuple(turn for step, turn in recall.turns.items() if step <= at)
    mentions: dict[int, tuple[str, ...]] = {}
    for entity in entities:
        for step in recall.mentioned(entity.id):
            mentions[step] = (*mentions.get(step, ()), entity.id)
    return Portrait(at, room.object if room else None, entities, natures, facts, turns, mentions)


def _facts(world: World, entities: tuple[Entity, ...], at: int) -> Iterator[Fact]:
    """Every fact that had begun, by the step at which it began."""
    known = (fact for entity in entities for fact in world.recall.history(entity.id))
    begun = [_as_of(fact, at) for fact in known if fact.valid_from <= at]
    yield from sorted(begun, key=lambda f: (f.valid_from, f.subject, f.relation, f.object))


def _as_of(fact: Fact, at: int) -> Fact:
    return replace(fact, valid_to=STILL) if fact.valid_to > at else fact
