"""Answers about where the player and the things are, and what happened with them."""

from __future__ import annotations

from schemas.memory import (
    AskInventory,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
    EventsAnswer,
    InventoryAnswer,
    LocationAnswer,
    RoomAnswer,
)
from services.memory.beliefs.facts import INSIDE, is_known_by_text
from services.memory.questions import sentences
from services.memory.questions.answer_parts import inventory_items, named_room, thing_location
from services.memory.questions.events import events_of, statements_of
from services.memory.questions.lookup import (
    MAX_LISTED,
    any_by_text,
    evidence,
    no_room,
    rooms_named,
    things_named,
)
from services.memory.questions.parsing import HERE
from services.memory.timeline.world_model import WorldModel

MAX_EVENTS = 40
"""Events in an answer, at most: the newest."""


def where_am_i(question: AskWhereAmI, world: WorldModel) -> RoomAnswer:
    """The room of the player."""
    fact = world.index.room(question.at)
    if fact is None:
        return RoomAnswer(answer=sentences.UNKNOWN_POSITION, known=False)
    room = named_room(world.index.entities[fact.object])
    return RoomAnswer(
        answer=sentences.position(room, fact.valid_from),
        steps=(fact.valid_from,),
        by_text=is_known_by_text(fact.object),
        room=room,
    )


def inventory(question: AskInventory, world: WorldModel) -> InventoryAnswer:
    """What the player has."""
    carried = world.index.inventory(question.at)
    about = (fact for item in carried for fact in world.index.facts(item.object, question.at))
    inside = [fact for fact in about if fact.relation == INSIDE]
    things = inventory_items(carried, inside, world.index.entities)
    return InventoryAnswer(
        answer=sentences.inventory(things),
        steps=evidence(fact.valid_from for fact in carried),
        by_text=world.beliefs.things_by_text or any(is_known_by_text(fact.object) for fact in carried),
        things=things[-MAX_LISTED:],
    )


def where_is(question: AskWhereIs, world: WorldModel) -> LocationAnswer:
    """Where the things of a name are."""
    things = things_named(question.thing, world, question.at)
    if not things:
        return LocationAnswer(answer=sentences.never_seen(question.thing), known=False)
    found = tuple(thing_location(world, thing, question.at) for thing in things)
    return LocationAnswer(
        answer="\n".join(map(sentences.location, found)),
        steps=evidence(step for place in found for step in (place.since, place.until, place.last_seen)),
        known=any(place.since is not None for place in found),
        by_text=any_by_text(things),
        things=found,
    )


def what_happened(question: AskWhatHappened, world: WorldModel) -> EventsAnswer:
    """What happened with the things of a name; where there are none, in the rooms of that name."""
    room = None if question.about == HERE else question.about
    met = things_named(question.about, world, question.at) or rooms_named(room, world, question.at)
    if not met:
        return EventsAnswer(answer=no_room(room), known=False)
    if question.topic is None:
        found = [event for entity in met for event in events_of(world, entity, question.at)]
    else:
        found = [e for entity in met for e in statements_of(world, entity, question.topic, question.at)]
    newest = tuple(sorted(found, key=lambda event: event.step)[-MAX_EVENTS:])
    name = met[0].name
    return EventsAnswer(
        answer=sentences.events(name, newest, len(found) - len(newest)),
        steps=evidence(event.step for event in newest),
        known=bool(found),
        by_text=any_by_text(met),
        events=newest,
    )
