"""What keeps the beliefs true: boxes, doors, deaths, teleports, going back in time, missing steps, talk."""

from __future__ import annotations

import pytest

from folds.map import Map
from schemas.game import Thing
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import Changes, is_known_by_text
from services.memory.timeline.world_model import WorldModel
from tests.support.scenes.builders import a_text_step
from tests.support.scenes.memory_builders import ATTIC, HOUSE, KITCHEN, LAMP, LUNCH, SACK, SWORD, Walk, inside

DOOR = Thing(id=40, name="oak door")
GNOME = Thing(id=41, name="grumpy gnome")
CASE = Thing(id=42, name="trophy case")


def begun(changes: Changes) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.relation, fact.object) for fact in changes.begun}


def ended(changes: Changes) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.relation, fact.object) for fact in changes.ended}


def relations(changes: Changes, prefix: str) -> set[str]:
    return {relation for _, relation, _ in begun(changes) if relation.startswith(prefix)}


@pytest.mark.parametrize(
    "action", ["put lamp in case", "put lantern into the case", "put all in trophy case"]
)
def test_what_is_put_into_a_thing_is_in_it_though_it_does_not_show(action: str) -> None:
    walk = Walk()
    walk.then(objects=[CASE], inventory=[LAMP])

    changes = walk.then(action, objects=[CASE], observation="Done.")

    assert {("item:11", "inside", "item:42"), ("item:11", "located_in", "room:west-of-house")} <= begun(
        changes
    )


def test_what_is_given_to_somebody_is_with_them() -> None:
    walk = Walk()
    walk.then(objects=[GNOME], inventory=[LAMP])

    assert ("item:11", "inside", "item:41") in begun(
        walk.then("give lamp to gnome", objects=[GNOME], observation="Thanks.")
    )


def test_what_is_given_and_told_to_be_used_up_is_gone() -> None:
    walk = Walk()
    walk.then(objects=[GNOME], inventory=[LUNCH])

    changes = walk.then("give lunch to gnome", objects=[GNOME], observation="He eats the lunch.")

    assert "item:16" not in walk.beliefs.things.places
    assert ("player", "has", "item:16") in ended(changes)


def test_what_jumps_out_of_an_open_box_is_not_in_it() -> None:
    walk = Walk()
    walk.then(objects=[], inventory=[SACK, inside(LUNCH, SACK)])

    walk.then("wait", inventory=[SACK])

    assert "item:16" not in walk.beliefs.things.places


def test_looking_at_what_is_shut_away_does_not_use_it_up() -> None:
    walk = Walk()
    walk.then(objects=[SACK, inside(LUNCH, SACK)])
    walk.then("close sack", objects=[SACK])

    walk.then("examine lunch", objects=[SACK], observation="You can't see any such thing.")

    assert walk.beliefs.things.places["item:16"].container == "item:15"


def test_a_thing_dropped_from_a_boat_is_here_though_it_does_not_show() -> None:
    walk = Walk()
    walk.then(inventory=[LAMP])

    assert ("item:11", "located_in", "room:west-of-house") in begun(
        walk.then("drop lamp", observation="Dropped.")
    )


def test_things_show_themselves_to_be_containers_characters_and_doors() -> None:
    changes = Walk().then(objects=[SACK, inside(LUNCH, SACK), GNOME, DOOR])

    assert {fact for fact in begun(changes) if fact[1] == "is_a"} == {
        ("item:15", "is_a", "category:container"),
        ("item:41", "is_a", "category:character"),
        ("item:40", "is_a", "category:door"),
    }


def test_what_a_character_says_about_a_topic_is_kept_until_they_say_otherwise() -> None:
    walk = Walk()
    walk.then(objects=[GNOME])
    walk.then("ask gnome about the key", objects=[GNOME], observation="'It is under the mat.'")

    changes = walk.then("ask gnome about key", objects=[GNOME], observation="'I told you before.'")

    assert relations(changes, "said_") == {"said_key"}
    assert [fact.relation for fact in changes.ended] == ["said_key"]


def test_a_refusal_is_nothing_that_somebody_said() -> None:
    walk = Walk()
    walk.then(objects=[GNOME])

    changes = walk.then("ask gnome about key", objects=[GNOME], observation="I don't know the word gnome.")

    assert relations(changes, "said_") == set()


@pytest.mark.parametrize("way", ["fore", "aft", "port", "starboard", "in", "out", "up", "northwest"])
def test_every_direction_can_be_an_exit(way: str) -> None:
    walk = Walk()
    walk.then()

    changes = walk.then(f"go {way}", room=KITCHEN)

    assert relations(changes, "exit_") == {f"exit_{way}"}


def test_the_way_back_is_no_exit_until_it_is_walked() -> None:
    walk = Walk()
    walk.then()
    walk.then("north", room=KITCHEN)

    assert walk.beliefs.exits.by_room["room:kitchen"] == {}


def test_a_teleport_is_no_exit_but_has_led_there() -> None:
    walk = Walk()
    walk.then()

    changes = walk.then("rub ring", room=KITCHEN)

    assert ("room:west-of-house", "led_rub ring", "room:kitchen") in begun(changes)
    assert relations(changes, "exit_") == set()


def test_a_death_that_brings_one_elsewhere_is_no_way() -> None:
    walk = Walk()
    walk.then()

    changes = walk.then("north", room=ATTIC, observation="You fall.\n\n  ****  You have died  ****\n\nForest")

    assert relations(changes, "exit_") == set()
    assert ("player", "at", "room:attic") in begun(changes)


def test_undo_puts_things_back_where_they_were() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("north", room=KITCHEN, objects=[SWORD])
    walk.then("take sword", room=KITCHEN, inventory=[SWORD])

    again = walk.then("undo", room=KITCHEN, objects=[SWORD], world="world-1")

    assert ("item:12", "located_in", "room:kitchen") in begun(again)
    assert walk.beliefs.things.places["item:11"].holder == "room:west-of-house"


def test_restore_puts_things_elsewhere_back_and_is_no_way() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("save", objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP])
    walk.then("drop lamp", room=KITCHEN, objects=[LAMP])

    changes = walk.then("restore", objects=[LAMP], world="world-1")

    assert walk.beliefs.things.places["item:11"].holder == "room:west-of-house"
    assert relations(changes, "led_") | relations(changes, "exit_") == set()


def test_a_missing_step_makes_no_way_between_what_is_before_and_after_it() -> None:
    walk = Walk()
    walk.then()
    walk.then("north", room=KITCHEN)
    walk.then("up", room=ATTIC)
    beliefs = Beliefs()

    for step in (walk.steps[0], walk.steps[2]):
        beliefs.after(step)

    assert beliefs.player.room == "room:attic"
    assert not any(beliefs.exits.by_room.values())
    assert beliefs.changes is not None and beliefs.changes.episodic.room is None


def test_steps_in_any_order_and_twice_are_no_trouble() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP])
    world = WorldModel()

    for step in (walk.steps[0], walk.steps[2], walk.steps[1], walk.steps[2], walk.steps[0]):
        world.after(step)

    assert (world.last_step, world.beliefs.player.room) == (2, "room:kitchen")


def a_walk_through_a_door() -> Walk:
    walk = Walk()
    walk.then(objects=[DOOR])
    walk.then("east", room=KITCHEN, objects=[DOOR])
    walk.then("west", objects=[DOOR])
    return walk


def test_a_door_leads_to_the_rooms_it_is_seen_in() -> None:
    walk = Walk()
    walk.then(objects=[DOOR])

    changes = walk.then("east", room=KITCHEN, objects=[DOOR])

    assert {fact for fact in begun(changes) if fact[1] == "door_to"} == {
        ("item:40", "door_to", "room:west-of-house"),
        ("item:40", "door_to", "room:kitchen"),
    }


def test_a_door_that_is_locked_shuts_the_ways_through_it_until_it_is_opened() -> None:
    walk = a_walk_through_a_door()

    locked = walk.then("lock door with key", objects=[DOOR], observation="You lock the oak door.")

    ways = {("room:west-of-house", "locked_east", "item:40"), ("room:kitchen", "locked_west", "item:40")}
    assert begun(locked) == ways
    assert ended(walk.then("unlock door", objects=[DOOR], observation="Click.")) == ways


def test_a_way_found_shut_is_known_to_be_so() -> None:
    walk = Walk()
    walk.then(objects=[DOOR])

    changes = walk.then("east", objects=[DOOR], observation="The oak door is locked.")

    assert ("room:west-of-house", "locked_east", "item:40") in begun(changes)
    assert walk.beliefs.doors.locked_in("room:west-of-house") == {"east": "item:40"}


def test_what_is_only_known_by_text_is_marked() -> None:
    world = WorldModel()
    world.after(a_text_step(0, None, "Cave\nA damp cave. There is a lamp here."))
    world.after(a_text_step(1, "ask gnome about gold", "The gnome laughs. 'Gold is for fools!'"))

    assert [entity for entity in world.index.entities if is_known_by_text(entity)]
    assert is_known_by_text(world.beliefs.player.room or "")
    assert any(fact.relation == "said_gold" for fact in world.index.facts("item:gnome"))


def test_a_map_finds_no_way_in_going_back_in_time() -> None:
    walk = Walk()
    walk.then()
    walk.then("north", room=KITCHEN)
    walk.then("undo", room=HOUSE)
    chart = Map()

    for step in walk.steps:
        chart.after(step)

    assert "undo" not in chart.exits["kitchen"]


def test_a_ship_is_searched_by_its_own_directions() -> None:
    chart = Map().after(
        a_text_step(0, None, "Deck\nA hatch lies aft, a rail to starboard, the harbour to port.")
    )

    assert set(chart.untried(chart.here)) >= {"aft", "starboard", "port"}
    assert "port" not in Map().after(a_text_step(0, None, "Bar\nA bottle of port stands here.")).untried(
        "name:Bar"
    )
