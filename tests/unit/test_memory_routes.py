"""Ways: to where they lead, and through what is shut or not."""

from __future__ import annotations

import pytest

from schemas.game import Thing
from schemas.memory import AskNearestUnexplored, AskRoute, RouteAnswer
from services.memory.questions.answers import answer
from services.memory.sections.belief import belief_section
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.memory_builders import ATTIC, KITCHEN, Walk, a_world, asked

DOOR = Thing(id=40, name="oak door")


def a_house_with_a_locked_door() -> WorldModel:
    walk = Walk()
    walk.then(objects=[DOOR])
    walk.then("east", room=KITCHEN, objects=[DOOR])
    walk.then("west", objects=[DOOR])
    walk.then("lock door", objects=[DOOR], observation="You lock it.")
    return a_world(walk)


def test_a_route_avoids_what_is_known_to_be_locked() -> None:
    world = a_house_with_a_locked_door()

    before = answer(AskRoute(session="s", goal="kitchen", at=2), world)
    now = answer(AskRoute(session="s", goal="kitchen"), world)

    assert isinstance(before, RouteAnswer) and before.actions == ("east",)
    assert isinstance(now, RouteAnswer) and now.actions == () and not now.known
    assert now.answer.endswith("shut on the way: east of West of House [west-of-house].")


def a_walk_to_a_way_found_shut(*seen: Thing) -> Walk:
    walk = Walk()
    walk.then(objects=seen)
    walk.then("north", room=KITCHEN, objects=seen)
    walk.then("south", objects=seen)
    walk.then("north", objects=seen, observation="The door is locked.")
    return walk


@pytest.mark.parametrize("seen", [(), (DOOR,)], ids=["unseen", "seen"])
def test_a_way_that_is_found_shut_still_leads_where_it_led_and_is_open_when_its_door_is(
    seen: tuple[Thing, ...],
) -> None:
    walk = a_walk_to_a_way_found_shut(*seen)
    shut = asked(a_world(walk), "go to kitchen")
    exits = asked(a_world(walk), "exits")
    told = belief_section(walk.beliefs, ()).text.splitlines()
    walk.then("open the mailbox", objects=seen, observation="You open the mailbox.")
    still_shut = asked(a_world(walk), "go to kitchen")
    walk.then("unlock door with key", objects=seen, observation="Unlocked.")
    opened = asked(a_world(walk), "go to kitchen")

    assert shut.answer.endswith("shut on the way: north of West of House [west-of-house].")
    assert exits.answer.splitlines()[0].startswith(
        "Exits found of West of House [west-of-house]: north to Kitchen (shut"
    )
    assert "EXITS_FOUND_HERE: north -> Kitchen" in told and "BLOCKED_HERE: none" in told
    assert not still_shut.known
    assert opened.answer == "To Kitchen [kitchen]: north."


def test_a_way_that_no_longer_leads_on_is_no_exit_though_it_was_shut_before() -> None:
    walk = a_walk_to_a_way_found_shut()
    walk.then("north", observation="There is only rubble.")

    assert asked(a_world(walk), "exits").answer.startswith(
        "Exits found of West of House [west-of-house]: none yet."
    )


def test_a_way_around_a_locked_door_is_found() -> None:
    walk = Walk()
    walk.then(objects=[DOOR])
    walk.then("east", room=KITCHEN, objects=[DOOR])
    walk.then("up", room=ATTIC)
    walk.then("down", room=KITCHEN, objects=[DOOR])
    walk.then("west", objects=[DOOR])
    walk.then("climb", room=ATTIC)
    walk.then("jump", objects=[DOOR])
    walk.then("lock door", objects=[DOOR], observation="You lock it.")

    told = answer(AskRoute(session="s", goal="kitchen"), a_world(walk))

    assert isinstance(told, RouteAnswer) and told.actions == ("climb", "down")


def test_the_nearest_untried_way_is_a_likely_one_of_another_room() -> None:
    walk = Walk()
    walk.then(valid=["north"])
    walk.then("north", room=KITCHEN, valid=["up", "south"])
    walk.then("south", valid=["north"])

    told = answer(AskNearestUnexplored(session="s"), a_world(walk))

    assert isinstance(told, RouteAnswer)
    assert (told.actions, told.room and told.room.name, told.unexplored) == (("north",), KITCHEN, "up")
