"""How the rule-based player goes ways that shut again, by ferry, through mazes, and where no text says."""

from __future__ import annotations

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import options
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of

OTHERS = [name for name in BEHAVIOUR_NAMES if name != "wander"]


def a_hatch_that_shuts(*, shut: bool = True) -> list[StepTaken]:
    card = ["card"]
    steps = [
        a_blind_step(0, held=card),
        a_blind_step(1, "west", "The hatch is closed.", held=card, changed=False),
        a_blind_step(2, "put card in slot", "The hatch slides open.", held=card),
        a_blind_step(3, "west", "Pier", room="Pier", held=card),
        a_blind_step(4, "east", "Hall", held=card),
    ]
    return (
        [*steps, a_blind_step(5, "west", "The hatch is closed.", held=card, changed=False)] if shut else steps
    )


def test_what_opened_a_way_is_done_again_where_it_has_shut() -> None:
    assert ideas_of("retry_ways", *a_hatch_that_shuts(shut=False)) == []
    assert ideas_of("retry_ways", *a_hatch_that_shuts()) == ["put card in slot"]
    again = a_blind_step(6, "put card in slot", "The hatch slides open.", held=["card"])
    assert ideas_of("retry_ways", *a_hatch_that_shuts(), again) == []


def test_one_walks_to_where_a_way_can_be_opened_again() -> None:
    left = (
        a_blind_step(6, "north", "Attic", room="Attic", held=["card"]),
        a_blind_step(7, "jump", "Whee.", room="Attic", held=["card"]),
    )

    assert ideas_of("travel", *a_hatch_that_shuts(), *left) == ["south"]


def test_what_was_tried_in_vain_before_a_way_was_free_is_no_means_to_open_it() -> None:
    steps = (
        a_blind_step(0),
        a_blind_step(1, "west", "The hatch is closed.", changed=False),
        a_blind_step(2, "push button", "Click!"),
        a_blind_step(3, "west", "The hatch is closed.", changed=False),
    )

    assert "push button" not in ideas_of("retry_ways", *steps)


def test_one_gets_into_a_ferry_that_has_arrived() -> None:
    lands = a_blind_step(1, "wait", "A ferry lands at the pier.")

    assert ideas_of("go_through", a_blind_step(0), lands) == ["enter ferry"]
    assert ideas_of("go_through", a_blind_step(0), lands, a_blind_step(2, "wait", "The sun shines.")) == []


def in_a_maze(*walks: tuple[str, str]) -> list[StepTaken]:
    maze = "Maze\nYou are in a maze of passages, all alike."
    walked = [a_blind_step(n, way, text or maze, room="Maze") for n, (way, text) in enumerate(walks, 1)]
    return [a_blind_step(0, None, maze, room="Maze"), *walked]


def test_one_wanders_where_rooms_look_alike_but_not_where_it_was_just_refused() -> None:
    refused = [(way, "You can't go that way.") for way in ("north", "east", "south", "up", "down")]
    alike = [("north", ""), ("south", "")]
    again = in_a_maze(*alike, *refused, ("west", ""))

    assert ideas_of("wander", *in_a_maze(("north", "You can't go that way."))) == []
    assert ideas_of("wander", *in_a_maze(*alike, *refused)) == ["west"]
    assert len(ideas_of("wander", *again)) == 1


def test_one_wanders_first_where_one_has_not_gone_after_coming_by_the_same_way() -> None:
    round_trips = [("north", ""), ("east", ""), ("north", ""), ("south", ""), ("north", ""), ("west", "")]

    assert ideas_of("wander", *in_a_maze(*round_trips, ("north", "")))[0] in ("north", "up", "down")


def test_where_one_way_alone_leads_back_nobody_wanders() -> None:
    assert ideas_of("wander", *in_a_maze(("north", ""), ("north", ""))) == []


def test_nobody_wanders_by_ways_that_the_game_has_no_words_for() -> None:
    vain = [(way, "You can't go that way.") for way in ("north", "east", "south", "up", "down", "west")]
    unknown = ("northeast", "That's not a verb I recognise.")

    assert ideas_of("wander", *in_a_maze(("north", ""), ("south", ""), *vain))
    assert ideas_of("wander", *in_a_maze(("north", ""), ("south", ""), unknown, *vain)) == []


def test_one_wanders_ever_more_seldom() -> None:
    def alike(walks: int) -> list[StepTaken]:
        return in_a_maze(("south", ""), *[("north", "")] * walks)

    worth = [
        max(option.utility for option in options(a_situation(*alike(walks), without=OTHERS)))
        for walks in (1, 20, 60)
    ]

    assert worth == sorted(worth, reverse=True)
    assert worth[-1] < 0.3 * worth[0]


def test_what_was_entered_is_left_again_by_going_out_and_what_was_gone_through_is_not() -> None:
    def left(*entering: str) -> list[str]:
        steps = [
            a_blind_step(n, action, f"Lift {n}", room=f"Lift {n}") for n, action in enumerate(entering, 1)
        ]
        known = a_situation(a_blind_step(0), *steps).experience
        return [way for way, room in known.map.presumed("Lift 1").items() if room == "Hall"]

    assert left("enter lift") == ["out"]
    assert left("enter door") == []
    assert left("north") == ["south"]


def test_what_leads_to_a_known_room_is_a_way_and_no_deed() -> None:
    there = a_blind_step(1, "enter lift", "Lift", room="Lift")
    back = a_blind_step(2, "out", "Hall", seen=["lift"])

    assert "enter lift" in ideas_of("things", a_blind_step(0, seen=["lift"]))
    assert "enter lift" not in ideas_of("things", a_blind_step(0, seen=["lift"]), there, back)


def test_with_few_steps_left_ways_that_nothing_mentions_are_worth_more() -> None:
    hall = a_blind_step(0, None, "A path leads east.")

    assert utility_of("north", hall, budget=100) > utility_of("north", hall, budget=1_000)
    assert utility_of("north", hall, budget=100) < utility_of("east", hall, budget=100)


def test_a_way_that_a_list_of_ways_lacks_is_worth_less_than_one_that_prose_lacks() -> None:
    listed, told = "Obvious exits: north, west.", "A path leads north, another west."
    worth = [utility_of("south", a_blind_step(0, None, text)) for text in (listed, told)]

    assert 0 < worth[0] < worth[1]
