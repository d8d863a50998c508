"""The whole graph as it was believed to be after a step, as plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from services.memory.beliefs.facts import IS_A, STILL_VALID, Entity, EntityKind, EpisodicStep, Fact
from services.memory.timeline.world_model import WorldModel


@dataclass(frozen=True, slots=True)
class GraphSnapshot:
    """Entities, facts and steps. A fact that ended after the snapshot's step has no end here."""

    step: int
    room: str | None
    """Where the player is."""
    entities: tuple[Entity, ...]
    categories: dict[str, tuple[str, ...]]
    """By thing, the names of its categories: container, character, door."""
    facts: tuple[Fact, ...]
    steps: tuple[EpisodicStep, ...]
    mentions: dict[int, tuple[str, ...]]
    """By step, the entities that its text mentions."""

    @property
    def valid_facts(self) -> tuple[Fact, ...]:
        """The facts that were valid at the step."""
        return tuple(fact for fact in self.facts if fact.valid_to == STILL_VALID)

    @property
    def rooms(self) -> tuple[Entity, ...]:
        """In the order in which they were first met."""
        return tuple(entity for entity in self.entities if entity.kind is EntityKind.ROOM)


def snapshot_at(world: WorldModel, at: int) -> GraphSnapshot:
    """What was believed after step `at`, and since when."""
    entities, room = world.index.met_up_to(at), world.index.room(at)
    facts = tuple(_facts(world, entities, at))
    return GraphSnapshot(
        step=at,
        room=room.object if room else None,
        entities=entities,
        categories=_categories(world, facts),
        facts=facts,
        steps=tuple(changes.episodic for changes in world.changes.up_to(at)),
        mentions=_mentions(world, entities, at),
    )


def _facts(world: WorldModel, entities: Iterable[Entity], at: int) -> Iterator[Fact]:
    """Every fact that had begun, in the order in which they began."""
    known = (fact for entity in entities for fact in world.index.history(entity.id))
    begun = [_as_of(fact, at) for fact in known if fact.valid_from <= at]
    yield from sorted(begun, key=lambda f: (f.valid_from, f.subject, f.relation, f.object))


def _as_of(fact: Fact, at: int) -> Fact:
    return replace(fact, valid_to=STILL_VALID) if fact.valid_to > at else fact


def _categories(world: WorldModel, facts: Iterable[Fact]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for fact in facts:
        if fact.relation == IS_A:
            found[fact.subject] = (*found.get(fact.subject, ()), world.index.entities[fact.object].name)
    return found


def _mentions(world: WorldModel, entities: Iterable[Entity], at: int) -> dict[int, tuple[str, ...]]:
    found: dict[int, list[str]] = defaultdict(list)
    for entity in entities:
        for step in world.index.mentions(entity.id):
            if step <= at:
                found[step].append(entity.id)
    return {step: tuple(mentioned) for step, mentioned in found.items()}
