"""What happened with something, step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from folds.vocabulary.words import words_of
from schemas.memory import MemoryEvent
from services.memory.beliefs.facts import (
    AT,
    BLOCKED,
    EXIT,
    LED,
    LOCKED,
    PLAYER,
    SAID,
    STILL,
    Entity,
    EntityKind,
    Fact,
)
from services.memory.beliefs.world import World
from services.memory.questions.naming import named_room
from services.memory.questions.wording import cut, of

WHAT_LENGTH = 300


def events_of(world: World, entity: Entity, at: int | None) -> list[MemoryEvent]:
    """Everything that happened with a thing or in a room up to a step, oldest first."""
    told: dict[int, dict[str, None]] = defaultdict(dict)
    for step, what in _changes(world, entity):
        if at is None or step <= at:
            told[step][what] = None
    for step in world.recall.mentioned(entity.id):
        if entity.kind is EntityKind.ITEM and (at is None or step <= at):
            told[step] = told[step] or {f"named: {cut(world.recall.turns[step].observation, 100)!r}": None}
    return [
        MemoryEvent(
            step=step,
            action=world.recall.turns[step].action,
            what=cut("; ".join(told[step]), WHAT_LENGTH),
        )
        for step in sorted(told)
    ]


def said_by(world: World, entity: Entity, topic: str, at: int | None) -> list[MemoryEvent]:
    """What a character has said about a topic (empty: about anything)."""
    asked = set(words_of(topic))
    sayings = (fact for fact in world.recall.history(entity.id) if fact.relation.startswith(SAID))
    return [
        MemoryEvent(
            step=fact.valid_from,
            action=world.recall.turns[fact.valid_from].action,
            what=repr(cut(world.recall.entities[fact.object].name, WHAT_LENGTH)),
        )
        for fact in sayings
        if (not asked or asked & set(words_of(fact.relation.removeprefix(SAID))))
        and (at is None or fact.valid_from <= at)
    ]


def _changes(world: World, entity: Entity) -> Iterator[tuple[int, str]]:
    facts = world.recall.history(entity.id)
    if entity.kind is EntityKind.ROOM:
        facts += [f for f in world.recall.history(PLAYER.id) if f.relation == AT and f.object == entity.id]
    began = {(fact.valid_from, fact.relation) for fact in facts}
    for fact in facts:
        what = _began(world, fact)
        if what:
            yield fact.valid_from, what
        ends = fact.valid_to != STILL and (fact.valid_to, fact.relation) not in began
        if ends and (gone := _ended(world, fact)):
            yield fact.valid_to, gone


def _began(world: World, fact: Fact) -> str | None:
    other = world.recall.entities[fact.object]
    match fact.relation:
        case "has":
            return "you have it"
        case "located_in":
            return f"it is in {of(named_room(other))}"
        case "inside":
            return f"it is in the {cut(other.name)}"
        case "at":
            return "you come here"
        case relation if relation.startswith((EXIT, LED)):
            way = relation.removeprefix(EXIT).removeprefix(LED)
            return f"{cut(way)} leads to {of(named_room(other))}"
        case relation if relation.startswith(BLOCKED):
            return f"{relation.removeprefix(BLOCKED)} leads nowhere"
        case relation if relation.startswith(LOCKED):
            return f"{relation.removeprefix(LOCKED)} is shut"
        case relation if relation.startswith(SAID):
            return f"about {cut(relation.removeprefix(SAID))}: {cut(other.name, 160)!r}"
    return None


def _ended(world: World, fact: Fact) -> str | None:
    other = world.recall.entities[fact.object]
    match fact.relation:
        case "has":
            return "you have it no longer"
        case "located_in":
            return f"it is no longer in {of(named_room(other))}"
        case "inside":
            return f"it is no longer in the {cut(other.name)}"
        case relation if relation.startswith(LOCKED):
            return f"{relation.removeprefix(LOCKED)} is open"
    return None
