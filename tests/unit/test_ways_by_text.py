"""How ways out are read from the text, and which ways that were refused may open."""

from __future__ import annotations

import pytest

from folds.blocked_ways import opening_in
from folds.map import Map
from folds.playthrough import Playthrough
from folds.text.ways import arriving_in, lists_ways, ways_in
from folds.vocabulary.actions import DIRECTIONS
from tests.support.scenes.builders import a_text_step, folded

HALL = "Hall\nA bare hall with a stone floor and a draught that never stops."


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("A path leads north, and to the south stands a mill.", ["north", "south"]),
        ("Exits are north and west.", ["north", "west"]),
        ("Obvious exits: N, SW, Up", ["north", "southwest", "up"]),
        ("A north-east door is ajar, and an east-west passage crosses here.", ["east", "west", "northeast"]),
        ("Stairs lead down into the cellar; a ladder goes up.", ["up", "down"]),
        ("You can go east, or up.", ["east", "up"]),
        ("An old well stands here. It is as well to be careful.", ["down"]),
        ("You can only go west from here.", ["west"]),
        (
            "I can't go in that direction, but I can move north, south east and in.",
            ["north", "southeast", "in"],
        ),
        ("The only exits are south and down.", ["south", "down"]),
        ("There is no way north, east or up, but a trail winds west.", ["west"]),
        ("You can't go south.", []),
        ("You like no doors? Why not try going west, that entranceway is unguarded.", ["west"]),
        ("The north wall is bare. You look up and pick up your courage.", []),
        ("Your score has gone up by one point, and you feel down.", []),
        ("You can go north to the bar, up to your office, or down to the docks.", ["north", "up", "down"]),
        ("You can go north to the bar, and look up at the sky.", ["north"]),
        ("The gangway is to port, the galley aft.", ["aft", "port"]),
        ("Sand dunes stretch in all directions.", [*DIRECTIONS[:8]]),
        ("A flight of stairs down, and passages in various directions", [*DIRECTIONS[:8], "down"]),
        ("There are openings to either side.", [*DIRECTIONS[:4]]),
        ("Tunnels lead off in three different directions: south, west, and down.", ["south", "west", "down"]),
        ("There are no openings to either side.", []),
        ("Shelves stand on both sides.", []),
        ("A ladder goes up. The club continues in every other direction.", [*DIRECTIONS[:8], "up"]),
        ("You can't see far in any direction.", []),
    ],
)
def test_ways_are_named_unless_they_are_denied(text: str, ways: list[str]) -> None:
    assert [*ways_in(text)] == ways


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("Obvious exits: N, SW, Up", True),
        ("A cell. Visible exits are north and up.", True),
        ("A cell. The only way out is north.", False),
        ("You can go east, or up.", False),
        ("A path leads north, and to the south stands a mill.", False),
        ("Possible exits: none.", True),
    ],
)
def test_a_list_of_ways_is_told_from_ways_in_prose(text: str, is_list: bool) -> None:
    assert lists_ways(text) is is_list


def test_a_refusal_that_tells_the_other_ways_lists_them() -> None:
    refusal = "You can't go that way. You can go east, or up."
    chart = in_the_hall(("north", refusal))

    assert chart.lists(chart.here) and "up" in chart.hinted(chart.here)
    assert not in_the_hall(("north", "You can't go that way.")).lists(chart.here)
    assert not in_the_hall(("look", refusal)).lists(chart.here)


def hints(*told: tuple[str | None, str]) -> tuple[str, ...]:
    chart = folded(Map(), [a_text_step(n, action, text) for n, (action, text) in enumerate(told)])
    return chart.hinted(chart.here)


def test_a_refusal_names_other_ways() -> None:
    assert hints((None, HALL), ("north", "You can't go north. You can only go east.")) == ("east",)


def test_what_is_read_or_said_names_no_way_here() -> None:
    assert hints((None, HALL), ("read map", "The tower lies west."), ("ask man", "Go east!")) == ()


def test_neither_the_preface_nor_the_heading_names_a_way() -> None:
    assert hints((None, "You rode east.\n\nWest Bank\nReeds, mud, and a path that leads south.")) == (
        "south",
    )


def after(*told: tuple[str, str]) -> Map:
    opening = a_text_step(0, None, HALL)
    steps = [a_text_step(n, action, text) for n, (action, text) in enumerate(told, start=1)]
    return folded(Map(), [opening, *steps])


STOCK = ("north", "You can't go that way."), ("south", "You can't go that way.")
GATE = ("east", "The gate is closed.")


def test_a_way_that_is_refused_for_a_reason_of_its_own_is_barred() -> None:
    chart = after(*STOCK, GATE)

    assert chart.barred(chart.here) == {"east": "The gate is closed."}


def test_what_is_said_of_many_ways_bars_none() -> None:
    dark = "Thorns scratch you when you try the {}."
    chart = after(*((way, dark.format(way)) for way in ("north", "south", "east")))

    assert chart.barred(chart.here) == {}
    assert chart.blocked[chart.here] == {"north", "south", "east"}


@pytest.mark.parametrize(
    ("action", "text", "blocked", "freed"),
    [
        ("open gate", "You open the gate.", {"north", "south"}, {"east"}),
        ("attack ogre", "The ogre staggers, and falls.", {"north", "south"}, {"east"}),
        ("push rock", "The rock rolls aside, and lets you go south.", {"north"}, {"east", "south"}),
        ("open gate", "It seems to be locked.", {"north", "south", "east"}, set()),
        ("attack ogre", "You miss.", {"north", "south", "east"}, set()),
        ("push rock", "A passage appears behind it.", set(), {"east"}),
    ],
)
def test_what_is_opened_or_defeated_frees_the_ways_that_were_barred(
    action: str, text: str, blocked: set[str], freed: set[str]
) -> None:
    chart = after(*STOCK, GATE, (action, text))

    assert chart.blocked[chart.here] == blocked
    assert chart.freed[chart.here] == freed


def test_what_opens_of_itself_frees_the_ways_that_it_barred() -> None:
    opens = ("wait", "Time passes.\n\nA bell rings. The iron gate slides open.")
    said = ("wait", "Time passes.\n\nThe open door does not move.")
    chart = after(*STOCK, GATE, opens)

    assert (chart.freed[chart.here], chart.opened_at[chart.here]) == ({"east"}, 4)
    assert (opening_in(opens[1]), opening_in(said[1])) == (("gate",), ())
    assert not after(*STOCK, GATE, said).freed[chart.here]


STREETS = "Hall\nStreets lead north, south and west. A dark spirit floats here."
FEAR = "You are paralyzed by fear."
CELLAR = ("east", "Cellar\nA cellar full of barrels, with a smell of wine.")


def in_the_hall(*told: tuple[str, str]) -> Map:
    steps = [a_text_step(n, *each) for n, each in enumerate([(None, STREETS), *told])]
    return folded(Playthrough(), steps).map


def test_what_opens_elsewhere_frees_the_way_in_the_room_where_it_is() -> None:
    opens = ("wait", "Time passes.\n\nFar away the gate creaks open.")
    chart = in_the_hall(GATE, ("west", "Cellar\nA cellar full of barrels, with a smell of wine."), opens)

    assert chart.here == "name:Cellar"
    assert (chart.freed["name:Hall"], chart.opened_at) == ({"east"}, {"name:Hall": 3})


def test_ways_that_the_text_names_are_barred_even_if_all_were_refused_in_the_same_words() -> None:
    chart = in_the_hall(("north", FEAR), ("south", FEAR), ("west", FEAR), ("up", FEAR))

    assert set(chart.barred(chart.here)) == {"north", "south", "west"}


def test_what_leaves_of_itself_frees_the_ways_that_were_barred() -> None:
    gone = f"{FEAR}\n\nThe spirit swirls around, disappearing from sight."
    chart = in_the_hall(("north", FEAR), ("south", gone), ("up", "You can't go that way."))

    assert chart.freed[chart.here] == {"north", "south"}
    assert chart.blocked[chart.here] == {"up"}


def test_what_refused_a_way_that_leads_on_later_was_said_in_passing() -> None:
    chart = in_the_hall(("north", FEAR), ("south", FEAR), ("west", FEAR), ("west", "Quay\nBoats and ropes."))

    assert chart.freed["name:Hall"] == {"north", "south"}


def test_a_way_that_the_parser_took_for_an_answer_is_not_blocked() -> None:
    walked = [("north", "Quay\nBoats and ropes, and the smell of tar."), ("south", STREETS)]
    chart = in_the_hall(*walked, ("dig", "What do you want to dig?"), ("north", "You can't dig that."))

    assert chart.exits[chart.here] == {"north": "name:Quay"}
    assert not chart.blocked[chart.here]


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("A ferry lands at the pier. Come aboard!", ("ferry",)),
        ("With a squeal of brakes the old train slowly pulls in.", ("train",)),
        ("The bus is waiting.", ("bus",)),
        ("You see a boat here. The captain arrives.", ()),
        ("The ship sails away.", ()),
    ],
)
def test_vehicles_arrive(text: str, nouns: tuple[str, ...]) -> None:
    assert arriving_in(text) == nouns


def test_of_many_named_ways_that_are_refused_alike_one_stands_for_all() -> None:
    opening = (None, "Hall\nThe club continues in all directions. A dark spirit floats here.")
    told = [(way, FEAR) for way in ("north", "south", "west", "east", "northeast", "northwest")]
    chart = folded(Playthrough(), [a_text_step(n, *each) for n, each in enumerate([opening, *told])]).map
    freed = folded(
        Playthrough(), [a_text_step(n, *each) for n, each in enumerate([opening, *told, CELLAR])]
    ).map

    assert list(chart.barred("name:Hall")) == ["east"]
    assert freed.freed["name:Hall"] == {"north", "south", "west", "northeast", "northwest"}
