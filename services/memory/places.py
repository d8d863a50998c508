"""Where things are believed to be, and how a step changes that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from folds.actions import normal
from schemas.game import StepTaken, Thing
from services.memory.facts import HAS, INSIDE, LOCATED_IN, PLAYER, Entity, EntityKind, Triple

_NESTING = 8
_DROPPING = frozenset({"drop", "put", "throw", "leave", "discard"})


@dataclass(frozen=True, slots=True)
class Place:
    """Who has a thing: the player or a room, and the thing that it is in or on."""

    holder: str
    container: str | None = None

    @property
    def held(self) -> bool:
        """Whether the player has it, in hand or inside something in hand."""
        return self.holder == PLAYER.id


Places = Mapping[str, Place]


def thing_id(thing: Thing) -> str:
    """A thing's number, its name where it has none."""
    return f"item:{thing.id or thing.name}"


def thing_entity(thing: Thing) -> Entity:
    """The entity of a thing."""
    return Entity(thing_id(thing), EntityKind.ITEM, thing.name)


def things_seen(step: StepTaken) -> tuple[Thing, ...]:
    """All that a step shows: what is held, then what is here."""
    return (*(step.inventory or ()), *(step.objects or ()))


def moves_of(
    places: Places, step: StepTaken, here: str | None, entities: Mapping[str, Entity]
) -> dict[str, Place | None]:
    """The things that a step finds in another place than they were believed in, and where; None: gone.

    What is not seen any more, though it would be, has gone: it has no place until it is seen again. But
    what was in a thing that is still in sight is taken to be shut inside, and goes where that thing goes.
    `here` is None where the player's room is unknown.
    """
    seen = _seen(step, here)
    moves: dict[str, Place | None] = {
        thing: place for thing, place in seen.items() if places.get(thing) != place
    }
    glance = _Glance(places, seen, step, here)
    for thing, place in places.items():
        if thing not in seen and (place.holder in (here, PLAYER.id) or place.container is not None):
            now = glance.unseen(place, entities[thing].name)
            if now != place:
                moves[thing] = now
    return moves


def triples_of(thing: str, place: Place | None) -> tuple[Triple, ...]:
    """The facts that say where a thing is."""
    if place is None:
        return ()
    whose: Triple = (PLAYER.id, HAS, thing) if place.held else (thing, LOCATED_IN, place.holder)
    return (whose,) if place.container is None else (whose, (thing, INSIDE, place.container))


def _seen(step: StepTaken, here: str | None) -> dict[str, Place]:
    """The places that a step shows; the hand wins where a thing shows in both."""
    ids = {thing.id: thing_id(thing) for thing in things_seen(step)}
    visible = step.objects if here is not None else None
    places: dict[str, Place] = {}
    for holder, things in ((PLAYER.id, step.inventory), (here, visible)):
        for thing in things or ():
            container = ids.get(thing.container) if thing.container not in (None, thing.id) else None
            places.setdefault(thing_id(thing), Place(str(holder), container))
    return places


@dataclass(frozen=True, slots=True)
class _Glance:
    """What one step shows, to judge by where the things are that it does not show."""

    places: Places
    seen: Places
    step: StepTaken
    here: str | None

    def unseen(self, place: Place, name: str) -> Place | None:
        """The place of a thing that does not show; None where it has gone."""
        box = self._box_in_sight(place)
        if box is not None:
            return None if self._used_up(name, place, box) else Place(box.holder, place.container)
        if place.held and self.step.inventory is not None:
            return self._dropped()
        if place.holder == self.here and self.step.objects is not None:
            return None
        return place

    def _box_in_sight(self, place: Place) -> Place | None:
        """The place of the nearest thing around it that shows."""
        container = place.container
        for _ in range(_NESTING):
            if container is None or container in self.seen:
                break
            outer = self.places.get(container)
            container = outer.container if outer else None
        return self.seen.get(container) if container else None

    def _used_up(self, name: str, place: Place, box: Place) -> bool:
        """Whether the action was about this thing (`eat the lunch`), and not about a box being carried."""
        return place.holder == box.holder and _named(name, self.step.action or "")

    def _dropped(self) -> Place | None:
        """What left the hand lies here, if it was dropped and what lies here is unknown."""
        verb = normal(self.step.action or "").partition(" ")[0]
        unknown = self.step.objects is None and self.here is not None
        return Place(str(self.here)) if unknown and verb in _DROPPING else None


def _named(name: str, text: str) -> bool:
    """Whether a text has a thing's name, or its last word as players write it."""
    words = name.lower().split()
    return bool(words) and words[-1] in text.lower().split()
