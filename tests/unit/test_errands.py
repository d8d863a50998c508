"""What a preface, or a text that was read, tells the player to do."""

from __future__ import annotations

import pytest

from services.actor.knowledge.errands import errands_in
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("First, open the portal. And then, make an attempt to venture north.", ["open portal"]),
        ("After that, pick up the old key from the floor of the pantry.", ["take old key"]),
        ("Then, place the kettle on the plate within the cookery.", ["put kettle on plate"]),
        ("Make sure that the type 6 locker inside the closet is ajar.", ["open type 6 locker"]),
        ("See that the hatch is unlocked, and that done, lock the gate!", ["unlock hatch", "lock gate"]),
        ("Doublecheck that the hatch in the study is closed.", ["close hatch"]),
        ("Dear Bob, please water the plants.", ["water plants"]),
        ("Directions:\nchop the red potato\n  fry the red potato", ["chop red potato", "fry red potato"]),
        ("You have not slept the whole night, and the rain is cold.", []),
        ("A dirty curtain, before a hole, covers the wall. It hid the door, facing the stairs.", []),
        (
            "Ring the bell, bring the rope, and press the button; feed the dog.",
            ["ring bell", "bring rope", "press button", "feed dog"],
        ),
        ("Take a trip north, then to the east.", []),
        (
            "Recipe:\n1. Grind beans in mill to make powder\n2) use kettle with powder\n3. A brass lamp",
            ["grind beans in mill", "use kettle with powder"],
        ),
    ],
)
def test_what_is_told_with_a_thing_is_an_errand(text: str, told: list[str]) -> None:
    assert list(errands_in(text)) == told


OPENING = "Welcome! First, open the chest. Then put the ring in the chest.\n\nHall\nThis is the hall."


def test_an_errand_of_the_preface_is_done_where_all_that_it_names_is_at_hand() -> None:
    begun = a_blind_step(0, None, OPENING)
    found = a_blind_step(1, "north", "Attic\nThere is a chest here.", room="Attic", seen=["chest"])
    with_ring = a_blind_step(2, "take ring", "Taken.", room="Attic", seen=["chest"], held=["ring"])

    assert ideas_of("heed", begun) == []
    assert ideas_of("heed", begun, found) == ["open chest"]
    assert set(ideas_of("heed", begun, found, with_ring)) == {"open chest", "put ring in chest"}


def test_a_rooms_description_is_no_part_of_the_preface_though_it_repeats_the_rooms_name() -> None:
    begun = a_blind_step(0, None, "Open the chest.\n\nHall\nLight the lamp, says a sign in the Hall.")

    assert [*a_situation(begun).experience.errands.actions] == ["open chest"]


def test_what_is_read_counts_and_what_is_only_said_in_passing_does_not() -> None:
    letter = "Turn the dial to the left."
    seen = a_blind_step(0, seen=["dial", "letter"])

    def told(action: str) -> bool:
        steps = (seen, a_blind_step(1, action, letter, seen=["dial", "letter"]))
        return "turn dial to left" in a_situation(*steps).experience.errands.actions

    assert told("read letter")
    assert not told("push letter")


def test_an_errand_with_what_is_held_is_done_once() -> None:
    read = a_blind_step(1, "read book", "Slice the pepper.", held=["book", "pepper"])
    sliced = a_blind_step(2, "slice pepper", "Done.", held=["book", "pepper"])
    moved = a_blind_step(3, "north", "Attic", room="Attic", held=["book", "pepper"])
    steps = (a_blind_step(0, held=["book", "pepper"]), read)

    assert ideas_of("heed", *steps) == ["slice pepper"]
    assert ideas_of("heed", *steps, sliced, moved) == []


def test_another_thing_of_the_same_noun_is_still_to_be_taken() -> None:
    opening = "Welcome! Take the iron key, then take the brass key.\n\nHall\nThis is the hall."
    begun = a_blind_step(0, None, opening, held=["brass key"], seen=["key"])

    assert ideas_of("heed", begun) == ["take iron key"]
