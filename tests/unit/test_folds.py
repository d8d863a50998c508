"""What the shared folds know of a session."""

import pytest

from folds.attempts import ROOM_RECORD, AttemptLog
from folds.map import Map
from folds.playthrough import Playthrough
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.verbs import ActionKind, action_kind_of, base_utility
from folds.vocabulary.words import head_of, is_person
from tests.support.scenes.builders import a_step, a_text_step, folded


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("n", "north"),
        ("Go  N", "north"),
        ("enter s", "south"),
        ("get the lamp", "take lamp"),
        ("x box", "examine box"),
    ],
)
def test_actions_that_mean_the_same_have_one_form(typed: str, meant: str) -> None:
    assert normal(typed) == meant


def test_climbing_a_tree_is_no_direction() -> None:
    assert direction_of("climb tree") is None
    assert direction_of("climb up") == "up"


def test_a_new_room_is_worth_more_than_dropping_something() -> None:
    assert action_kind_of("put down the lamp") is ActionKind.DROP
    assert action_kind_of("turn on lamp") is ActionKind.LIGHT
    assert action_kind_of("push keys to stream") is ActionKind.PLACE
    assert action_kind_of("push rug") is ActionKind.HANDLE
    assert (
        base_utility("take lamp")
        > base_utility("north")
        > base_utility("examine lamp")
        > base_utility("drop lamp")
    )


def test_the_noun_of_a_thing_is_the_head_of_its_name() -> None:
    assert head_of("brass lantern") == "lantern"
    assert head_of("pile of leaves") == "pile"
    assert head_of("black rod with a rusty star on the end") == "rod"
    assert head_of("note on the door") == "note"
    assert head_of("put coin in slot") == "slot"


def test_a_text_names_what_follows_its_articles() -> None:
    assert nouns_in("There is a small mailbox here. The path heads north, past a boarded door.") == (
        "mailbox",
        "path",
        "door",
    )


def test_a_troll_is_somebody_and_a_lamp_is_not() -> None:
    assert is_person("nasty-looking troll")
    assert not is_person("brass lamp")
    assert is_person("old boatman") and is_person("innkeeper")
    assert not is_person("silver talisman") and not is_person("ottoman")


def test_where_only_text_is_known_the_last_heading_still_holds() -> None:
    steps = [a_text_step(0, None, "THE STORY\n\nHall\nA bare hall."), a_text_step(1, "take hat", "Taken.")]

    assert folded(Playthrough(), steps).map.names[folded(Playthrough(), steps).room] == "Hall"


def test_a_way_back_is_presumed_until_it_is_tried() -> None:
    chart = folded(Map(), [a_step(0, valid=["north"]), a_step(1, "north", room="Attic", valid=["south"])])

    assert chart.exits["Hall"] == {"north": "Attic"}
    assert chart.exits.get("Attic", {}) == {}
    assert chart.likely("Attic") == ()
    route = chart.route("Attic", "Hall")
    assert route is not None and route.actions == ("south",)


def test_a_move_that_leads_nowhere_is_blocked_and_no_exit() -> None:
    chart = folded(Map(), [a_step(0), a_step(1, "north", text="You can't go that way.")])

    assert chart.blocked["Hall"] == {"north"}
    assert "north" not in chart.untried("Hall")


def test_a_way_that_led_somewhere_once_is_barred_and_not_blocked_for_good() -> None:
    refused = a_step(3, "north", text="You can't go that way.")
    steps = [a_step(0), a_step(1, "north", room="Attic"), a_step(2, "south"), refused]
    chart = folded(Map(), steps)

    assert chart.exits["Hall"] == {}
    assert set(chart.barred("Hall")) == {"north"}

    anew = folded(Map(), [*steps, a_step(4, "restart", episode=2)])

    assert anew.exits["Hall"] == {"north": "Attic"}
    assert anew.blocked["Hall"] == set()


def test_a_way_that_opens_after_an_action_is_free_again() -> None:
    steps = [
        a_step(0),
        a_step(1, "down", text="It is closed."),
        a_step(2, "open trapdoor", world="v", changed=True, valid=["down"]),
    ]

    chart = folded(Map(), steps)

    assert chart.blocked["Hall"] == set()
    assert chart.freed["Hall"] == {"down"}


def test_the_nearest_unexplored_way_is_told_with_the_way_there() -> None:
    steps = [
        a_step(0, valid=["north", "east"]),
        a_step(1, "north", room="Attic", valid=["south"]),
    ]

    route = folded(Map(), steps).nearest_unexplored("Attic")

    assert route is not None
    assert (*route.actions, route.then) == ("south", "east")


def test_a_repeated_step_changes_nothing() -> None:
    opening, push = a_step(0), a_step(1, "push button")

    tried = folded(AttemptLog(), [opening, push, push, opening])

    assert tried.in_room("Hall") == {"push button": 1}


def test_attempts_are_counted_in_each_state_of_the_world() -> None:
    steps = [
        a_step(0),
        a_step(1, "push button"),
        a_step(2, "push button", world="v"),
        a_step(3, "push button"),
    ]

    tried = folded(AttemptLog(), steps)

    assert tried.in_world("w")["push button"].times == 2
    assert tried.in_world("v")["push button"].times == 1
    assert tried.in_room("Hall")["push button"] == 3


def test_the_record_of_a_room_is_bounded_but_every_action_is_remembered() -> None:
    steps = [a_step(0), *(a_step(n, f"push b{n}") for n in range(1, 101))]

    tried = folded(AttemptLog(), steps)

    assert len(tried.by_room["Hall"]) == ROOM_RECORD
    assert len(tried.in_room("Hall")) == 100


def test_in_a_new_episode_what_had_an_effect_is_to_be_done_again() -> None:
    steps = [
        a_step(0),
        a_step(1, "sing"),
        a_step(2, "open box", world="v", changed=True),
        a_step(3, "jump", world="x", done=True),
        a_step(4, "restart", episode=2),
    ]

    tried = folded(AttemptLog(), steps)

    assert "open box" not in tried.in_world("w")
    assert "sing" in tried.in_world("w")
    assert tried.deadly_in("Hall") == {"jump"}
