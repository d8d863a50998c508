"""By which words things and rooms are found."""

from __future__ import annotations

from schemas.game import Thing
from tests.support.scenes.memory_builders import KITCHEN, LAMP, SWORD, Walk, a_world, asked


def test_a_thing_goes_by_the_words_it_was_taken_by() -> None:
    walk = Walk()
    walk.then(objects=[LAMP, SWORD])
    walk.then("pick up the torch from the floor", objects=[SWORD], inventory=[LAMP])
    walk.then("take all", inventory=[LAMP, SWORD])
    world = a_world(walk)

    assert asked(world, "where is the torch").answer.startswith("The brass lantern is with you")
    assert not asked(world, "where is the torch", at=0).known
    assert not asked(world, "where is all").known


def test_a_thing_is_found_by_more_words_than_its_name_has_and_a_room_is_not() -> None:
    walk = Walk()
    walk.then(room=KITCHEN, objects=[Thing(id=7, name="sword"), Thing(id=8, name="Tom's (old) map")])

    assert asked(a_world(walk), "where is the elvish sword").answer.startswith("The sword is in Kitchen")
    assert asked(a_world(walk), "where is toms map").known is False
    assert asked(a_world(walk), "where is the old map").answer.startswith("The Tom's (old) map is in Kitchen")
    assert asked(a_world(walk), "go to the secret kitchen").known is False


def test_a_thing_met_later_does_not_hide_what_was_called_so_before() -> None:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("wait", objects=[LAMP, Thing(id=77, name="lantern")])

    assert asked(a_world(walk), "where is the lantern", at=0).answer.startswith(
        "After step 0: The brass lantern is in"
    )


def test_where_a_room_is_is_how_to_get_there_though_a_thing_has_its_name_in_it() -> None:
    walk, table = Walk(), Thing(id=7, name="kitchen table")
    walk.then()
    walk.then("north", room=KITCHEN, objects=[table])
    walk.then("south")
    world = a_world(walk)

    assert asked(world, "where is the kitchen").answer == "To Kitchen [kitchen]: north."
    assert asked(world, "where is the table").answer.startswith("The kitchen table is in Kitchen")
