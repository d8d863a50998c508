"""Things in steps, as entities and in places."""

from __future__ import annotations

from dataclasses import dataclass
from sys import intern

from schemas.game import StepTaken, Thing
from services.memory.beliefs.facts import HAS, INSIDE, LOCATED_IN, PLAYER, Entity, EntityKind, Triple


@dataclass(frozen=True, slots=True)
class BelievedPlace:
    """Where a thing is: with the player or in a room (`holder`), and the thing that it is in or on."""

    holder: str
    container: str | None = None

    @property
    def is_carried(self) -> bool:
        """Whether the player has the thing, in hand or inside something in hand."""
        return self.holder == PLAYER.id


def thing_id(thing: Thing) -> str:
    """The id of a thing's entity: by its number, or by its name where it has none. Interned, as a room's."""
    return intern(f"item:{thing.id or thing.name}")


def thing_entity(thing: Thing) -> Entity:
    """The entity of a thing."""
    return Entity(thing_id(thing), EntityKind.ITEM, thing.name)


def things_seen(step: StepTaken) -> tuple[Thing, ...]:
    """All things that a step shows: the inventory, then what is in the room."""
    return (*(step.inventory or ()), *(step.objects or ()))


def place_facts(thing: str, place: BelievedPlace | None) -> tuple[Triple, ...]:
    """The facts that say where a thing is."""
    if place is None:
        return ()
    holder: Triple = (PLAYER.id, HAS, thing) if place.is_carried else (thing, LOCATED_IN, place.holder)
    return (holder,) if place.container is None else (holder, (thing, INSIDE, place.container))
