"""What is believed after a step."""

from __future__ import annotations

import pytest

from schemas.fragment import SECTION_LENGTH, Fragment
from schemas.game import Thing
from services.memory.beliefs.facts import Changes, Fact
from services.memory.logic import Beliefs, fragment
from tests.support.scenes.memory_builders import (
    ATTIC,
    KITCHEN,
    LAMP,
    LEAFLET,
    LUNCH,
    MAILBOX,
    SACK,
    SWORD,
    Walk,
    inside,
)

THIEF = Thing(id=30, name="thief")


def said(facts: tuple[Fact, ...]) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.relation, fact.object) for fact in facts}


def begun(changes: Changes) -> set[tuple[str, str, str]]:
    return said(changes.begun)


def ended(changes: Changes) -> set[tuple[str, str, str]]:
    return said(changes.ended)


def section(of: Fragment, name: str) -> str:
    return next(section.text for section in of.sections if section.name == name)


def told(walk: Walk, name: str = "belief") -> str:
    return section(fragment(walk.beliefs), name)


def line(text: str, title: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"{title}:")).removeprefix(f"{title}: ")


def test_moving_ends_where_the_player_was() -> None:
    walk = Walk()
    walk.then()

    changes = walk.then("north", room=KITCHEN)

    assert Fact("player", "at", "room:west-of-house", 0, 1) in changes.ended
    assert ("player", "at", "room:kitchen") in begun(changes)


def test_a_walked_direction_is_an_exit_of_the_room_that_was_left() -> None:
    walk = Walk()
    walk.then()

    assert ("room:west-of-house", "exit_north", "room:kitchen") in begun(walk.then("n", room=KITCHEN))


def test_a_failed_move_is_blocked_and_no_exit() -> None:
    walk = Walk()
    walk.then()

    assert begun(walk.then("north")) == {
        ("room:west-of-house", "tried_north", "direction:north"),
        ("room:west-of-house", "blocked_north", "direction:north"),
    }


def test_a_way_that_was_blocked_and_then_walked_is_blocked_no_longer() -> None:
    walk = Walk()
    walk.then()
    walk.then("north")

    changes = walk.then("north", room=KITCHEN)

    assert ("room:west-of-house", "blocked_north", "direction:north") in ended(changes)
    assert ("room:west-of-house", "tried_north", "direction:north") not in ended(changes)


def test_taking_a_thing_ends_where_it_lay() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])

    changes = walk.then("take lamp", inventory=[LAMP])

    assert begun(changes) == {("player", "has", "item:11")}
    assert ended(changes) == {("item:11", "located_in", "room:west-of-house")}


def test_dropping_a_thing_puts_it_here() -> None:
    walk = Walk()
    walk.then(inventory=[LAMP])

    changes = walk.then("drop lamp", objects=[LAMP])

    assert begun(changes) == {("item:11", "located_in", "room:west-of-house")}
    assert ended(changes) == {("player", "has", "item:11")}


def test_a_dropped_thing_lies_here_where_the_objects_are_unknown() -> None:
    walk = Walk()
    walk.then(inventory=[LAMP], objects=None)

    changes = walk.then("drop lamp", inventory=[], objects=None)

    assert begun(changes) == {("item:11", "located_in", "room:west-of-house")}


def test_a_thing_lost_in_another_way_lies_nowhere() -> None:
    walk = Walk()
    walk.then(inventory=[LUNCH], objects=None)

    changes = walk.then("eat lunch", inventory=[], objects=None)

    assert (begun(changes), ended(changes)) == (set(), {("player", "has", "item:16")})


def test_a_thing_in_a_container_is_in_the_room_and_inside_it() -> None:
    changes = Walk().then(objects=[MAILBOX, inside(LEAFLET, MAILBOX)])

    assert {("item:14", "located_in", "room:west-of-house"), ("item:14", "inside", "item:13")} <= begun(
        changes
    )


def test_what_was_in_a_container_that_shut_is_still_inside() -> None:
    walk = Walk()
    walk.then(objects=[MAILBOX, inside(LEAFLET, MAILBOX)])

    assert ended(walk.then("close mailbox", objects=[MAILBOX])) == set()


def test_what_is_in_a_shut_container_goes_where_it_goes() -> None:
    walk = Walk()
    walk.then(objects=[SACK, inside(LUNCH, SACK)])
    walk.then("close sack", objects=[SACK])

    assert ("player", "has", "item:16") in begun(walk.then("take sack", inventory=[SACK]))
    walk.then("north", room=KITCHEN, inventory=[SACK])
    assert ("item:16", "located_in", "room:kitchen") in begun(
        walk.then("drop it", room=KITCHEN, objects=[SACK])
    )


def test_what_was_eaten_out_of_a_container_is_gone() -> None:
    walk = Walk()
    walk.then(inventory=[SACK, inside(LUNCH, SACK)])

    changes = walk.then("eat the lunch", inventory=[SACK])

    assert ended(changes) == {("player", "has", "item:16"), ("item:16", "inside", "item:15")}


def test_containers_within_each_other_are_no_trouble() -> None:
    walk = Walk()
    walk.then(objects=[inside(SACK, MAILBOX), inside(MAILBOX, SACK)])

    walk.then("look", objects=[])

    assert walk.beliefs.things.places == {}


def test_a_thing_seen_elsewhere_was_moved_by_another() -> None:
    walk = Walk()
    walk.then(objects=[THIEF])

    changes = walk.then("north", room=KITCHEN, objects=[THIEF])

    assert ("item:30", "located_in", "room:kitchen") in begun(changes)
    assert ("item:30", "located_in", "room:west-of-house") in ended(changes)


def test_a_thing_believed_here_that_is_not_seen_here_is_gone() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("north", room=KITCHEN)

    assert ("item:11", "located_in", "room:west-of-house") in ended(walk.then("south"))


def test_a_thing_elsewhere_stays_believed_in() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])

    assert ("item:11", "located_in", "room:west-of-house") not in ended(walk.then("north", room=KITCHEN))


def test_what_is_unknown_changes_nothing() -> None:
    walk = Walk()
    walk.then(objects=[LAMP], inventory=[SWORD])

    changes = walk.then("wait", objects=None, inventory=None)

    assert (changes.begun, changes.ended) == ((), ())


def test_in_an_unknown_room_the_player_is_nowhere_and_holds_what_they_hold() -> None:
    walk = Walk()
    walk.then(inventory=[SWORD])

    changes = walk.then("jump", room=None, inventory=[SWORD], objects=[LAMP])

    assert (begun(changes), ended(changes)) == (set(), {("player", "at", "room:west-of-house")})


def test_a_heading_tells_the_room_where_the_game_does_not() -> None:
    changes = Walk().then(room=None, observation="Dark Cave\nIt is dark.")

    assert ("player", "at", "room:name:Dark Cave") in begun(changes)


def test_a_death_ends_where_the_player_was() -> None:
    walk = Walk()
    walk.then()

    changes = walk.then("jump", done=True)

    assert ended(changes) == {("player", "at", "room:west-of-house")}
    assert line(told(walk), "YOU_ARE") == "nowhere, the game is over"


def test_a_restart_ends_all_but_the_ways() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP], objects=[SACK])

    changes = walk.then("restart", objects=[LAMP], episode=2)

    assert ended(changes) == {
        ("player", "at", "room:kitchen"),
        ("player", "has", "item:11"),
        ("item:15", "located_in", "room:kitchen"),
    }
    assert begun(changes) == {
        ("player", "at", "room:west-of-house"),
        ("item:11", "located_in", "room:west-of-house"),
    }
    assert line(told(walk), "EXITS_FOUND_HERE") == "north -> Kitchen"


def test_the_action_after_a_restart_is_recorded_in_the_room_of_the_opening() -> None:
    walk = Walk()
    walk.then()
    walk.then("north", room=KITCHEN)

    assert walk.then("restart", episode=2).episodic.room == "room:west-of-house"
    assert walk.then("wait", episode=2).episodic.room == "room:west-of-house"


def test_two_rooms_of_one_name_are_two_rooms() -> None:
    walk = Walk()
    walk.then(room="Maze", room_id="1")
    walk.then("north", room="Maze", room_id="2")

    assert line(told(walk), "YOU_ARE") == "Maze [2] (since step 1)"


def test_things_of_one_name_are_two_things() -> None:
    coins = [Thing(id=1, name="coin"), Thing(id=2, name="coin")]
    walk = Walk()
    walk.then(objects=coins)

    walk.then("take coin", objects=coins[1:], inventory=coins[:1])

    assert walk.beliefs.things.at("player") == ("item:1",)
    assert walk.beliefs.things.at("room:west-of-house") == ("item:2",)


def test_a_thing_without_a_number_goes_by_its_name() -> None:
    changes = Walk().then(objects=[Thing(id=0, name="lamp")])

    assert ("item:lamp", "located_in", "room:west-of-house") in begun(changes)


def test_a_repeated_step_changes_nothing() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP])
    before, changes = fragment(walk.beliefs), walk.beliefs.changes

    for step in walk.steps:
        walk.beliefs.after(step)

    assert fragment(walk.beliefs) == before
    assert walk.beliefs.changes is changes


def test_a_restarted_service_says_what_the_old_one_said() -> None:
    walk = a_walk_with_much_in_it(rooms=30, things=30)
    again = Beliefs()

    for step in walk.steps:
        again.after(step)

    assert fragment(again) == fragment(walk.beliefs)


def test_a_step_mentions_its_room_its_direction_and_the_things_it_names() -> None:
    walk = Walk()
    walk.then(objects=[LAMP, SWORD])

    changes = walk.then("go north", objects=[LAMP, SWORD], observation="The lantern is in your way.")

    assert changes.mentions == ("room:west-of-house", "direction:north", "item:11")


def test_an_entity_is_introduced_once() -> None:
    walk = Walk()

    first, second = walk.then(objects=[LAMP]), walk.then("look", objects=[LAMP])

    assert [entity.id for entity in first.entities] == ["player", "room:west-of-house", "item:11"]
    assert second.entities == ()


def test_the_belief_says_where_what_and_which_way() -> None:
    walk = Walk()
    walk.then(objects=[MAILBOX, inside(LEAFLET, MAILBOX)], valid=["north", "east"])
    walk.then("south", objects=[MAILBOX, inside(LEAFLET, MAILBOX)], valid=["north", "east"])
    walk.then("north", room=KITCHEN, inventory=[SACK, inside(LUNCH, SACK)], valid=["up", "south"])

    text = told(walk)

    assert line(text, "YOU_ARE") == "Kitchen (since step 2)"
    assert line(text, "HELD") == "brown sack, lunch (in brown sack)"
    assert line(text, "EXITS_FOUND_HERE") == "south -> West of House (told, not walked)"
    assert line(text, "UNEXPLORED_EXITS_HERE") == "up"
    assert line(text, "THINGS_SEEN_ELSEWHERE") == (
        "West of House (step 1): small mailbox, leaflet (in small mailbox)"
    )


def test_the_exits_worth_trying_in_other_rooms_are_told() -> None:
    walk = Walk()
    walk.then(valid=["north", "east"])
    walk.then("north", room=KITCHEN, valid=["up", "south"])
    walk.then("south", valid=["north", "east"])

    assert line(told(walk), "LIKELY_EXITS_ELSEWHERE") == "Kitchen: up"


def test_the_room_state_holds_the_record_of_the_room() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP], score=5, reward=5, observation="Taken.\nWell done.")
    walk.then("look", inventory=[LAMP], score=5, world_seen=3, valid=["drop lamp"])
    walk.then("look", inventory=[LAMP], score=5, world_seen=4, valid=["drop lamp"])

    text = told(walk, "room_state")

    assert text.splitlines()[0] == "ROOM: West of House (id west-of-house)"
    assert line(text, "STATE_REVISIT_COUNT") == "4"
    assert line(text, "ALL_TRIED_IN_THIS_ROOM") == "look (x2); take lamp"
    assert line(text, "VALID_ACTIONS") == "drop lamp"
    assert line(text, "OBJECTS_HERE") == "none"
    assert line(text, "INVENTORY") == "brass lantern"
    assert text.splitlines()[-1] == (
        '- step 1: take lamp | score 0 -> 5 | gained brass lantern | "Taken. Well done."'
    )


def test_what_is_unknown_is_said_to_be_unknown() -> None:
    walk = Walk()
    walk.then(room=None, objects=None, inventory=None, score=None)

    text = told(walk, "room_state")

    assert text.splitlines()[0] == "ROOM: unknown"
    assert line(text, "VALID_ACTIONS") == line(text, "OBJECTS_HERE") == line(text, "INVENTORY") == "unknown"
    assert line(told(walk), "YOU_ARE") == "in an unknown room"


def test_every_action_tried_in_a_room_is_told_though_only_forty_are_recorded() -> None:
    walk = Walk()
    walk.then()
    for number in range(150):
        walk.then(f"ask gnome about topic {number}")

    text = told(walk, "room_state")

    assert all(f"topic {number}," in text for number in range(1, 150))
    alike = text.partition("- steps ")[2].partition(": ")[0].split(", ")
    assert len(alike) == 40 and text.count("- step") == 1, "they were all answered alike"


@pytest.mark.parametrize("word", ["x" * 150, "ab " * 49 + "abc", "日本語" * 50])
def test_sections_are_bounded_however_much_there_is_to_say(word: str) -> None:
    walk = a_walk_with_much_in_it(rooms=60, things=120, name=word)

    for part in fragment(walk.beliefs).sections:
        assert 0 < len(part.text) <= SECTION_LENGTH
        assert "None" not in part.text


def test_nothing_is_said_before_the_first_step() -> None:
    assert section(fragment(Beliefs()), "room_state") == ""


def a_walk_with_much_in_it(*, rooms: int, things: int, name: str = "thing") -> Walk:
    walk = Walk()
    walk.then()
    for number in range(rooms):
        here = [Thing(id=k, name=f"{name} {k}") for k in range(1, things) if k % rooms == number]
        walk.then(
            "north", room=f"{name} {number}", objects=here, valid=[f"{name} {k}"[-150:] for k in range(50)]
        )
        walk.then(f"{number} {name}"[:150], room=f"{name} {number}", objects=here, observation=name * 100)
    for number in range(60):
        walk.then(f"{number} {name}"[:150], room=ATTIC, observation=name * 100, objects=[])
    return walk
