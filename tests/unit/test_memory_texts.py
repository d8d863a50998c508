"""What was read and heard is kept whole, and found by words, by meaning and by other words for things."""

from __future__ import annotations

import pytest

from schemas.game import Thing
from tests.support.scenes.memory_builders import KITCHEN, LAMP, Walk, a_world, asked

NOTE = "Dear friend, the miller keeps the key of the mill under the third stone. " * 4


def test_a_note_is_told_whole_many_steps_later() -> None:
    walk = Walk()
    walk.then(objects=[Thing(id=5, name="crumpled note")])
    walk.then("read note", objects=[Thing(id=5, name="crumpled note")], observation=NOTE)
    for _ in range(25):
        walk.then("wait")

    assert NOTE.strip() in asked(a_world(walk), "what does the note say").answer


def test_who_a_note_names_as_the_holder_of_a_key_is_known_a_step_later() -> None:
    walk = Walk()
    walk.then(objects=[Thing(id=5, name="letter")])
    walk.then("read letter", observation="Old Maud at the shed is believed to hold the tower key.")
    walk.then("wait")

    reply = asked(a_world(walk), "what did the letter say about the key")

    assert reply.known and "Old Maud at the shed is believed to hold the tower key." in reply.answer


def test_a_text_is_found_by_what_it_means() -> None:
    walk = Walk()
    walk.then()
    walk.then("read sign", observation="The vessel leaves the harbour at dawn.")
    walk.then("read poster", observation="Fresh bread is sold in the market.")

    assert "at dawn" in asked(a_world(walk), "when does the ship sail?").answer.splitlines()[2]


def test_a_thing_goes_by_the_words_of_the_story_s_dictionary() -> None:
    walk, lamp = Walk(), LAMP.model_copy(update={"words": ("lamp", "headli")})
    walk.then(inventory=[lamp])

    for name in ("lamp", "brass lamp", "headlight"):
        assert asked(a_world(walk), f"where is the {name}").answer.startswith("The brass lantern is with you")


def test_two_names_that_get_one_answer_are_names_of_one_thing() -> None:
    walk = Walk()
    walk.then(objects=None, inventory=None, observation="Shed\nYou can see a brass lantern here.")
    for name in ("lantern", "lamp"):
        walk.then(f"examine {name}", objects=None, inventory=None, observation="It is dented, and burns oil.")

    assert asked(a_world(walk), "where is the lamp").answer.startswith("The lantern is in")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what have I asked the gnome about", "You have asked the gnome about: gold, tea."),
        ("what is my score", "The score is 5."),
        ("what has earned points", "step 3: take lamp in Kitchen (+5)"),
        ("where did I get the lantern", "The brass lantern came to you in Kitchen by 'take lamp'."),
        ("which rooms have I visited", "You have been in: West of House, Kitchen."),
        ("how did I die", "step 4: eat lamp in Kitchen: You have died."),
        ("who has the lantern", "You has the brass lantern."),
    ],
)
def test_what_was_done_is_told(question: str, answer: str) -> None:
    walk = Walk()
    walk.then()
    walk.then("ask gnome about gold", observation="'All mine!'")
    walk.then("ask gnome about tea", room=KITCHEN, observation="'With milk.'")
    walk.then("take lamp", room=KITCHEN, inventory=[LAMP], score=5, reward=5, observation="Taken.")
    walk.then("eat lamp", room=KITCHEN, inventory=[LAMP], score=5, done=True, observation="You have died.")

    assert asked(a_world(walk), question).answer == answer.replace("You has", "You have")


def test_a_way_back_that_the_game_names_is_told_and_planned_over() -> None:
    walk = Walk()
    walk.then(valid=["north"])
    walk.then(
        "north", room=KITCHEN, observation="Kitchen\nThe way out is to the south.", valid=["south", "up"]
    )
    walk.then("up", room="Attic", observation="Attic\nA ladder leads down.", valid=["down"])
    world = a_world(walk)

    told = "down, then south (told by the game, not walked yet: down, south)"
    assert (
        asked(world, "how do I get to West of House").answer == f"To West of House [west-of-house]: {told}."
    )
    assert "Told by the game, not walked yet: down to Kitchen" in asked(world, "exits").answer
