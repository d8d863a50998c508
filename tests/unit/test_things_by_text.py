"""Things that are held or lie here, by a game's text alone."""

from __future__ import annotations

import pytest

from folds.text.things.inventory_lists import listed_in
from folds.text.things.sightings import things_here_in
from folds.text.things.take_answers import answers_in
from tests.support.scenes.read_texts import ATTIC, HALL, read


def held(*told: tuple[str | None, str]) -> list[str]:
    return [thing.name for thing in read((None, HALL), *told)[-1].inventory or ()]


@pytest.mark.parametrize(
    ("action", "text", "things"),
    [
        ("take lamp", "Taken.", ["lamp"]),
        ("get the brass lamp from the box", "Taken.", ["brass lamp"]),
        ("pick up the lamp", "Taken.", ["lamp"]),
        ("take lamp", "You can't see any such thing.", []),
        ("wear mask", "(first taking the old mask)\nYou put on the old mask.", ["old mask"]),
        ("look at ruby", "(first taking the ruby out of the small casket)\nIt is red.", ["ruby"]),
        ("put ruby in box", "(first taking the ruby out of the casket)\nYou put it into the box.", []),
        ("ask man about key", "The man gives you a key.", ["key"]),
        ("take lamp", "You already have that.", ["lamp"]),
        ("take all", "brass lamp: You already have that.\nwell: That's hardly portable.", ["brass lamp"]),
        ("take set", "OK.", ["set"]),
        ("take coin", "No need for that look: they let you take what you can get.", []),
        (
            "inventory",
            "You're carrying:\nrusty axe - *GOLDEN FISH* - a sign",
            ["rusty axe", "golden fish", "sign"],
        ),
        ("inventory", "He has:\n  torch\n  pole (on fire)\n\nA pig has come.", ["torch", "pole"]),
        (
            "inventory",
            "You are carrying:\n  a hat\n\nYou are wearing:\n  a coat\n\nThe wind howls.",
            ["hat", "coat"],
        ),
        ("inventory", "You are holding:\nNothing", []),
        (
            "take all",
            "brass lamp: Taken.\nOld map: Taken.\nanvil: That's too heavy.",
            ["brass lamp", "old map"],
        ),
        ("take all", "There is nothing to take.", []),
        ("inventory", "You are carrying:\n  a brass lamp (providing light)\n  an egg", ["brass lamp", "egg"]),
        ("inventory", "You have a lamp, some rope, and the Old Map.", ["lamp", "rope", "old map"]),
        ("inventory", "You are empty-handed.", []),
    ],
)
def test_things_held_are_known_by_what_is_said_of_them(action: str, text: str, things: list[str]) -> None:
    assert held((action, text)) == things


@pytest.mark.parametrize(
    ("action", "text", "things"),
    [
        ("drop lamp", "Dropped.", []),
        ("put lamp in box", "You put the lamp into the box.", []),
        ("put lamp in slot", "It doesn't fit.", ["lamp"]),
        ("put lamp in slot", "The hatch slides open.", ["lamp"]),
        ("put lamp in slot", "It slides in.", []),
        ("give lamp to man", '"Thank you, but no," he says.', ["lamp"]),
        ("drop lamp", "You can't drop that here.", ["lamp"]),
        ("drop all", "(the lamp)\nDropped.", []),
        ("drop lamp", "You don't have the lamp.", []),
        ("drop all", "lamp: You toss the lamp onto the floor.", []),
        ("throw lamp at guard", "The guard dodges it.", []),
        (
            "throw lamp at guard",
            "That would be unwise. The guard throws a stick at you, but misses!",
            ["lamp"],
        ),
        ("rub lamp", "The lamp glows, and vanishes.", []),
        ("restart", HALL, []),
    ],
)
def test_things_laid_down_are_held_no_more(action: str, text: str, things: list[str]) -> None:
    assert held(("take lamp", "Taken."), (action, text)) == things


def test_a_gift_is_gone_where_it_is_accepted() -> None:
    taken = ("take coin", "Taken.")

    assert held(taken, ("give coin to guard", "The guard takes the coin and bows.")) == []
    assert held(taken, ("give coin to guard", "The guard stares at it.")) == ["coin"]
    assert held(taken, ("give coin to guard", "The guard takes no interest in it.")) == ["coin"]


def test_a_thing_that_is_taken_has_the_name_by_which_it_was_seen() -> None:
    hall = HALL + "\n\nThere is a ring of keys here."

    assert [thing.name for thing in read((None, hall), ("take ring", "Taken."))[-1].inventory or ()] == [
        "ring of keys"
    ]


def test_another_word_for_what_is_held_is_no_second_thing() -> None:
    told = ("inventory", "You are carrying a lantern."), ("take lamp", "You already have that.")

    assert held(*told) == ["lantern"]


def test_what_was_dropped_lies_in_the_room_and_what_was_taken_does_not() -> None:
    here = (None, HALL + "\n\nThere is a lamp here.")

    seen = [
        [thing.name for thing in step.objects or ()]
        for step in read(here, ("take lamp", "Taken."), ("up", ATTIC), ("drop lamp", "Dropped."))
    ]

    assert seen == [["lamp"], [], [], ["lamp"]]


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("You can see a brass lantern and a set of keys here.", ["lantern", "keys"]),
        ("Opening the small mailbox reveals a leaflet.", ["leaflet"]),
        ("A nasty-looking troll blocks all passages.", ["troll"]),
        ("On the desk stands an amphora.", ["amphora"]),
        ("You can't see any such thing.", []),
        ("The sea is grey.", []),
    ],
)
def test_things_lie_here_where_a_sentence_says_so(text: str, nouns: list[str]) -> None:
    assert [*things_here_in(text)] == nouns


def test_a_list_in_words_ends_with_its_sentence() -> None:
    assert listed_in("You have nothing.") == ()
    assert listed_in("What now?") == ()


def test_a_name_ends_before_a_dash_where_each_thing_has_its_line() -> None:
    assert listed_in("You are carrying:\n  a guide - How to sail\n  a gun") == ("guide", "gun")
    assert listed_in("You are carrying:\nguide - gun") == ("guide", "gun")
    assert [each.name for each in answers_in("guide - How to sail: Taken.\ngun: Taken.")] == ["guide", "gun"]


def test_what_is_told_below_a_list_of_what_is_held_is_no_part_of_it() -> None:
    text = (
        "You are carrying:\n  a tin bucket\n    a ball\nThe machine twangs uselessly, given nothing to throw."
    )

    assert listed_in(text) == ("tin bucket", "ball")
    assert listed_in("You are carrying:\n  nothing") == ()
    assert listed_in("You are not carrying anything:\n  a tin bucket") == ()


def test_a_namesake_of_what_is_held_is_another_thing() -> None:
    steps = read(
        (None, HALL),
        ("inventory", "You are carrying:\n  some soiled clothing"),
        ("open dresser", "You open the dresser, revealing some clean clothing."),
    )

    assert "clean clothing" in [thing.name for thing in steps[-1].objects or ()]


def test_two_things_of_one_noun_have_their_whole_names() -> None:
    steps = read((None, HALL), ("open chest", "In the chest are a red box and a blue box."))

    assert {"red box", "blue box"} <= {thing.name for thing in steps[-1].objects or ()}


def test_things_of_one_noun_come_in_the_order_of_the_text() -> None:
    nouns = ("rug", "box", "pen", "cup")
    told = ", ".join(f"a red {noun}, a blue {noun}" for noun in nouns)
    steps = read((None, HALL), ("open chest", f"In the chest are {told}."))

    named = [thing.name for thing in steps[-1].objects or () if " " in thing.name]
    assert named == [f"{colour} {noun}" for noun in nouns for colour in ("red", "blue")]


def test_a_fuller_name_is_of_no_other_thing() -> None:
    steps = read((None, HALL), ("look", "On a shelf is a brass lamp. It is a shiny brass lamp."))

    assert {thing.name for thing in steps[-1].objects or ()} <= {"lamp"}


def test_what_was_put_into_something_held_is_no_more_in_hand_when_it_is_listed_in_there() -> None:
    told = (
        ("take lamp", "Taken."),
        ("take battery", "Taken."),
        ("put battery in lamp", "You put the battery into the lamp."),
        ("inventory", "You are carrying:\n  a lamp (which is open)\n    a battery"),
    )

    assert held(*told) == ["lamp"]
    assert held(*told, ("take battery", "Taken.")) == ["lamp", "battery"]
    assert held(*told[:2], told[3]) == ["lamp", "battery"]
