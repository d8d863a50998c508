"""Facts as the parts of typed answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from folds.vocabulary.actions import OPPOSITE
from schemas.memory import (
    BlockedWay,
    InventoryItem,
    KnownExit,
    NamedRoom,
    NamedThing,
    RoomExits,
    ThingLocation,
    TriedAction,
)
from services.memory.beliefs.facts import (
    HAS,
    INSIDE,
    LOCATED_IN,
    STILL_VALID,
    Entity,
    EntityKind,
    EpisodicStep,
    Fact,
)
from services.memory.questions.sentences import cut
from services.memory.timeline.world_model import ExitFacts, WorldModel

_PLACE_RELATIONS = (HAS, LOCATED_IN, INSIDE)
RESULT_LENGTH = 240


def named_room(entity: Entity) -> NamedRoom:
    """A room as answers name it."""
    return NamedRoom(id=cut(entity.id.removeprefix("room:")), name=cut(entity.name))


def named_thing(entity: Entity) -> NamedThing:
    """A thing as answers name it."""
    return NamedThing(id=cut(entity.id.removeprefix("item:")), name=cut(entity.name))


def inventory_items(
    carried: Sequence[Fact], inside: Iterable[Fact], entities: Mapping[str, Entity]
) -> tuple[InventoryItem, ...]:
    """What the player has, from `has` facts and `inside` facts."""
    containers = {fact.subject: named_thing(entities[fact.object]) for fact in inside}
    return tuple(
        InventoryItem(
            thing=named_thing(entities[fact.object]),
            container=containers.get(fact.object),
            since=fact.valid_from,
        )
        for fact in carried
    )


def room_exits(world: WorldModel, room: Entity, at: int | None) -> RoomExits:
    """The exits of a room."""
    found, entities = world.exits(room.id, at), world.index.entities
    return RoomExits(
        room=named_room(room),
        exits=tuple(
            KnownExit(
                action=cut(action),
                room=named_room(entities[fact.object]),
                since=fact.valid_from,
                shut_by=_door(found, action, entities),
                walked_back=_is_walked_back(world, fact, action, at),
            )
            for action, fact in (*found.walked, *found.led)
        ),
        told=tuple(
            KnownExit(action=cut(action), room=named_room(entities[fact.object]), since=fact.valid_from)
            for action, fact in found.told
        ),
        blocked=tuple(
            BlockedWay(direction=direction, since=fact.valid_from, shut_by=_door(found, direction, entities))
            for direction, fact in found.blocked
        ),
        unexplored=world.unexplored(room.id, at),
        likely=world.likely(room.id, at),
    )


def tried_actions(steps: Iterable[EpisodicStep], room: NamedRoom) -> list[TriedAction]:
    """The actions of some steps, with their results."""
    return [
        TriedAction(
            step=step.step,
            room=room,
            action=step.action or "",
            reward=step.reward,
            result=cut(step.observation, RESULT_LENGTH),
        )
        for step in steps
    ]


def thing_location(world: WorldModel, thing: Entity, at: int | None) -> ThingLocation:
    """Where a thing is at a step, or where it was last before that step."""
    facts = [fact for fact in world.index.facts(thing.id, at) if fact.relation in _PLACE_RELATIONS]
    until = None
    if not facts:
        facts = _last_place(world.index.history(thing.id), at)
        until = facts[0].valid_to if facts else None
    objects = {fact.relation: world.index.entities[fact.object] for fact in facts}
    return ThingLocation(
        thing=named_thing(thing),
        carried=HAS in objects,
        room=named_room(objects[LOCATED_IN]) if LOCATED_IN in objects else None,
        container=named_thing(objects[INSIDE]) if INSIDE in objects else None,
        since=max((fact.valid_from for fact in facts), default=None),
        until=until,
        last_seen=world.index.last_seen(thing.id, at),
    )


def _last_place(history: Iterable[Fact], at: int | None) -> list[Fact]:
    """The facts about the last place of a thing that is in none at a step; all ended at the same step."""
    past = [fact for fact in history if fact.relation in _PLACE_RELATIONS and _has_ended(fact, at)]
    until = max((fact.valid_to for fact in past), default=None)
    return [fact for fact in past if fact.valid_to == until]


def _has_ended(fact: Fact, at: int | None) -> bool:
    return fact.valid_to != STILL_VALID and (at is None or fact.valid_to <= at)


def _door(exits: ExitFacts, way: str, entities: Mapping[str, Entity]) -> NamedThing | None:
    """What shuts an exit, without a name where the text named no door; None: it is not shut."""
    if way not in exits.locked:
        return None
    door = entities[exits.locked[way].object]
    return named_thing(door) if door.kind is EntityKind.ITEM else NamedThing(id="", name="")


def _is_walked_back(world: WorldModel, fact: Fact, action: str, at: int | None) -> bool:
    """Whether the player has walked the opposite direction, from the exit's end to its beginning."""
    back = OPPOSITE.get(action)
    exits = world.exits(fact.object, at).walked if back else ()
    return any(direction == back and walked.object == fact.subject for direction, walked in exits)
