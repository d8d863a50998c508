"""What happened with a thing, a character or a room, step by step."""

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
    STILL_VALID,
    TOLD,
    Entity,
    EntityKind,
    Fact,
)
from services.memory.questions.answer_parts import named_room
from services.memory.questions.sentences import cut, room_label
from services.memory.timeline.world_model import WorldModel

EVENT_LENGTH = 300


def events_of(world: WorldModel, entity: Entity, at: int | None) -> list[MemoryEvent]:
    """Everything that happened with a thing or in a room up to a step, oldest first."""
    events: dict[int, dict[str, None]] = defaultdict(dict)
    for step, what in _changes(world, entity):
        if at is None or step <= at:
            events[step][what] = None
    for step in world.index.mentions(entity.id):
        if entity.kind is EntityKind.ITEM and (at is None or step <= at):
            events[step] = events[step] or {
                f"named: {cut(world.changes.episodic(step).observation, 100)!r}": None
            }
    return [
        MemoryEvent(
            step=step,
            action=world.changes.episodic(step).action,
            what=cut("; ".join(events[step]), EVENT_LENGTH),
        )
        for step in sorted(events)
    ]


def statements_of(world: WorldModel, entity: Entity, topic: str, at: int | None) -> list[MemoryEvent]:
    """What a character has said about a topic (empty: about anything)."""
    words = set(words_of(topic))
    statements = (fact for fact in world.index.history(entity.id) if fact.relation.startswith(SAID))
    return [
        MemoryEvent(
            step=fact.valid_from,
            action=world.changes.episodic(fact.valid_from).action,
            what=repr(cut(world.index.entities[fact.object].name, EVENT_LENGTH)),
        )
        for fact in statements
        if (not words or words & set(words_of(fact.relation.removeprefix(SAID))))
        and (at is None or fact.valid_from <= at)
    ]


def _changes(world: WorldModel, entity: Entity) -> Iterator[tuple[int, str]]:
    facts = world.index.history(entity.id)
    if entity.kind is EntityKind.ROOM:
        facts += [f for f in world.index.history(PLAYER.id) if f.relation == AT and f.object == entity.id]
    began = {(fact.valid_from, fact.relation) for fact in facts}
    for fact in facts:
        if beginning := _began(world, fact):
            yield fact.valid_from, beginning
        replaced = (fact.valid_to, fact.relation) in began
        if fact.valid_to != STILL_VALID and not replaced and (end := _ended(world, fact)):
            yield fact.valid_to, end


def _began(world: WorldModel, fact: Fact) -> str | None:
    other = world.index.entities[fact.object]
    match fact.relation:
        case "has":
            return "you have it"
        case "located_in":
            return f"it is in {room_label(named_room(other))}"
        case "inside":
            return f"it is in the {cut(other.name)}"
        case "at":
            return "you come here"
        case relation if relation.startswith((EXIT, LED)):
            way = relation.removeprefix(EXIT).removeprefix(LED)
            return f"{cut(way)} leads to {room_label(named_room(other))}"
        case relation if relation.startswith(TOLD):
            return f"{relation.removeprefix(TOLD)} leads to {room_label(named_room(other))}, the game says"
        case relation if relation.startswith(BLOCKED):
            return f"{relation.removeprefix(BLOCKED)} leads nowhere"
        case relation if relation.startswith(LOCKED):
            return f"{relation.removeprefix(LOCKED)} is shut"
        case relation if relation.startswith(SAID):
            return f"about {cut(relation.removeprefix(SAID))}: {cut(other.name, 160)!r}"
    return None


def _ended(world: WorldModel, fact: Fact) -> str | None:
    other = world.index.entities[fact.object]
    match fact.relation:
        case "has":
            return "you have it no longer"
        case "located_in":
            return f"it is no longer in {room_label(named_room(other))}"
        case "inside":
            return f"it is no longer in the {cut(other.name)}"
        case relation if relation.startswith(LOCKED):
            return f"{relation.removeprefix(LOCKED)} is open"
    return None
