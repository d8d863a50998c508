"""BYU's agents of 2016 and 2017 (CARL): verbs that suit nouns, and what has changed a state before."""

from __future__ import annotations

import pytest

from services.actor.baselines.byu import HOARDED
from services.actor.baselines.carl import state_information
from tests.support.scenes.baseline_scenes import CAVE, HALL, after, choice, choices

VOID = "Void\nNothing."
LOOK = ("look", HALL)
NOT_HERE = "You can't see any such thing."


def test_every_other_command_is_a_look() -> None:
    assert choices(after("byu", HALL)) == {"look"}
    assert "look" not in choices(after("byu", HALL, LOOK))
    assert choices(after("byu", HALL, LOOK, ("get all", "lamp: Taken."))) == {"look"}


def test_all_is_got_once_in_each_new_place() -> None:
    hall = (LOOK, ("get all", "lamp: Taken."), LOOK, ("inventory", "You are carrying a brass lamp."), LOOK)

    assert choices(after("byu", HALL, LOOK)) == {"get all"}
    assert "get all" not in choices(after("byu", HALL, *hall))
    assert choices(after("byu", HALL, *hall, ("north", CAVE), ("look", CAVE))) == {"get all"}


def test_the_inventory_is_asked_for_after_each_get() -> None:
    assert choices(after("byu", HALL, LOOK, ("get all", "lamp: Taken."), LOOK)) == {"inventory"}


def test_a_place_whose_text_always_varies_is_not_searched_for_ever() -> None:
    varying = [
        step
        for n in range(HOARDED)
        for step in (("look", f"{HALL} A bird sings {'la' * n}."), ("get all", "There is nothing to take."))
    ]

    assert "get all" not in choices(after("byu", HALL, *varying, ("look", f"{HALL} A bird is silent.")))


def test_verbs_suit_the_nouns_and_none_is_tried_twice_in_one_state() -> None:
    begun = (LOOK, ("get all", "None."), LOOK, ("inventory", "You are empty-handed."), LOOK)
    first = choices(after("byu", HALL, *begun), 600)
    second = choices(after("byu", HALL, *begun, ("rub lamp", "Nothing happens."), LOOK), 600)

    assert {"rub lamp", "turn on lamp", "get lamp", "enter passage"} <= first
    assert {"wield lamp", "feed lamp"}.isdisjoint(first)
    assert any(len(command.split()) > 3 for command in first)
    assert "rub lamp" not in second


def test_where_nothing_is_left_it_walks_or_repeats_what_changed_this_state() -> None:
    void = (("look", VOID), ("get all", "None."), ("look", VOID), ("inventory", "Nothing."), ("look", VOID))
    changed = (("sing", "Walls appear."), ("look", "Cell\nWalls."), ("get all", "None."), ("look", VOID))

    assert choice(after("byu", VOID, *void)).reason == "what worked here, or a way out"
    assert "sing" not in choices(after("byu", VOID, *void))
    back = after("byu", VOID, *void, *changed, ("inventory", "Nothing."), ("look", VOID))
    assert {"sing", "north", "up"} <= choices(back)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("There is a brass lamp here. Time passes.", ("There is a brass lamp here.",)),
        ("You can't go that way.", ()),
        ("Taken.", ()),
        ("Your score has gone up by five points.", ()),
        (f"A wide path leads north and south. {NOT_HERE}", ("A wide path leads north and south.",)),
    ],
)
def test_only_sentences_about_the_state_make_the_state(text: str, sentences: tuple[str, ...]) -> None:
    assert state_information(text) == sentences


def test_the_best_suiting_command_comes_first_and_then_broader_ones() -> None:
    lit = after("carl", HALL, LOOK, ("turn on lamp", "You can't turn that on."))

    assert choices(after("carl", HALL, LOOK)) == {"turn on lamp", "enter passage"}
    assert choices(lit) == {"enter passage"}
    assert float(choice(lit).reason.split()[-1]) == 1.0
    more = after("carl", HALL, LOOK, ("turn on lamp", "You can't."), ("enter passage", "You can't."))
    assert float(choice(more).reason.split()[-1]) < 1.0


def test_a_text_that_tells_a_change_is_followed_by_a_look() -> None:
    assert choices(after("carl", HALL)) == {"look"}
    assert choices(after("carl", HALL, LOOK, ("turn on lamp", "The lamp begins to glow."))) == {"look"}
    assert "look" not in choices(after("carl", HALL, LOOK, ("turn on lamp", "You can't turn that on.")))


def test_what_changed_a_state_may_be_repeated_when_the_state_comes_back() -> None:
    there_and_back = (("north", CAVE), ("south", HALL))

    assert "north" not in choices(after("carl", HALL, LOOK))
    assert "north" in choices(after("carl", HALL, LOOK, *there_and_back))


def test_numbers_that_change_by_themselves_make_no_new_state() -> None:
    clock = "Hall\nYou are in a hall. There is a clock here, which shows {}."
    before = after(
        "carl",
        HALL,
        ("look", clock.format(9)),
        ("wind clock", "The clock ticks."),
        ("look", clock.format(11)),
    )

    assert "wind clock" not in choices(before)
