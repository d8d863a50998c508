"""Facts as the parts of typed answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from folds.vocabulary.actions import OPPOSITE
from schemas.memory import (
    BlockedWay,
    HeldThing,
    KnownExit,
    NamedRoom,
    NamedThing,
    RoomExits,
    TriedAction,
    Whereabouts,
)
from services.memory.beliefs.facts import HAS, INSIDE, LOCATED_IN, STILL, Entity, EntityKind, Fact, Turn
from services.memory.beliefs.world import Ways, World
from services.memory.questions.naming import named_room, named_thing
from services.memory.questions.wording import cut

_PLACES = (HAS, LOCATED_IN, INSIDE)
RESULT_LENGTH = 240


def held_told(
    facts: Sequence[Fact], inside: Iterable[Fact], entities: Mapping[str, Entity]
) -> tuple[HeldThing, ...]:
    """What the player has, from the facts that say so and those that say what is in what."""
    around = {fact.subject: named_thing(entities[fact.object]) for fact in inside}
    return tuple(
        HeldThing(
            thing=named_thing(entities[fact.object]),
            container=around.get(fact.object),
            since=fact.valid_from,
        )
        for fact in facts
    )


def exits_told(world: World, room: Entity, at: int | None) -> RoomExits:
    """The ways out of a room."""
    ways, entities = world.ways(room.id, at), world.recall.entities
    return RoomExits(
        room=named_room(room),
        exits=tuple(
            KnownExit(
                action=cut(action),
                room=named_room(entities[fact.object]),
                since=fact.valid_from,
                shut_by=_shut_by(ways, action, entities),
                back=_leads_back(world, fact, action, at),
            )
            for action, fact in (*ways.exits, *ways.led)
        ),
        blocked=tuple(
            BlockedWay(direction=way, since=fact.valid_from, shut_by=_shut_by(ways, way, entities))
            for way, fact in ways.blocked
        ),
        unexplored=world.unexplored(room.id, at),
        likely=world.likely(room.id, at),
    )


def tried_told(turns: Iterable[Turn], room: NamedRoom) -> list[TriedAction]:
    """Steps as actions that were tried."""
    return [
        TriedAction(
            step=turn.step,
            room=room,
            action=turn.action or "",
            reward=turn.reward,
            result=cut(turn.observation, RESULT_LENGTH),
        )
        for turn in turns
    ]


def whereabouts_told(world: World, thing: Entity, at: int | None) -> Whereabouts:
    """Where a thing is at a step, or where it was last before it."""
    facts = [fact for fact in world.recall.facts(thing.id, at) if fact.relation in _PLACES]
    until = None
    if not facts:
        past = [f for f in world.recall.history(thing.id) if f.relation in _PLACES and _is_over(f, at)]
        until = max((fact.valid_to for fact in past), default=None)
        facts = [fact for fact in past if fact.valid_to == until]
    objects = {fact.relation: world.recall.entities[fact.object] for fact in facts}
    room = objects.get(LOCATED_IN)
    return Whereabouts(
        thing=named_thing(thing),
        held=HAS in objects,
        room=named_room(room) if room else None,
        container=named_thing(objects[INSIDE]) if INSIDE in objects else None,
        since=max((fact.valid_from for fact in facts), default=None),
        until=until,
        seen=world.recall.seen_last(thing.id, at),
    )


def _is_over(fact: Fact, at: int | None) -> bool:
    return fact.valid_to != STILL and (at is None or fact.valid_to <= at)


def _shut_by(ways: Ways, way: str, entities: Mapping[str, Entity]) -> NamedThing | None:
    """What shuts a way; without a name where the text named no door."""
    if way not in ways.shut:
        return None
    door = entities[ways.shut[way].object]
    return named_thing(door) if door.kind is EntityKind.ITEM else NamedThing(id="", name="")


def _leads_back(world: World, fact: Fact, action: str, at: int | None) -> bool:
    """Whether the opposite direction was walked from there to here."""
    back = OPPOSITE.get(action)
    exits = world.ways(fact.object, at).exits if back else ()
    return any(way == back and f.object == fact.subject for way, f in exits)
