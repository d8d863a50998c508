"""The best route: what is left out of it, when it is followed, and when it is given up."""

from __future__ import annotations

from itertools import pairwise

from schemas.game import StepTaken
from services.actor.knowledge.best_route import BestRoute
from tests.support.scenes.player_scenes import a_blind_step


def route_after(*steps: StepTaken) -> BestRoute:
    route = BestRoute()
    for before, now in pairwise(steps):
        route.after(before, now)
    return route


CROWNED = (
    a_blind_step(0),
    a_blind_step(1, "sing", "La.", changed=False),
    a_blind_step(2, "north", room="Attic"),
    a_blind_step(3, "take crown", "Taken.", room="Attic", held=["crown"], reward=5),
    a_blind_step(4, "restart", episode=2),
)


def test_the_best_route_leaves_out_what_came_to_nothing() -> None:
    assert [stage.action for stage in route_after(*CROWNED).stages] == ["north", "take crown"]


def test_ways_in_a_maze_are_part_of_the_best_route() -> None:
    maze = "Maze\nTwisty little passages, all alike."
    route = route_after(
        a_blind_step(0),
        a_blind_step(1, "north", maze, room="Maze"),
        a_blind_step(2, "east", maze, room="Maze", changed=False),
        a_blind_step(3, "up", "You can't go that way.", room="Maze", changed=False),
        a_blind_step(4, "take coin", "Taken.", room="Maze", held=["coin"], reward=5),
    )

    assert [stage.action for stage in route.stages] == ["north", "east", "take coin"]


REARRANGED = (
    a_blind_step(0, seen=["coin"]),
    a_blind_step(1, "take coin", "Taken.", held=["coin"]),
    a_blind_step(2, "score", "You have no points."),
    a_blind_step(3, "drop all", "Dropped.", seen=["coin"]),
    a_blind_step(4, "take all", "Taken.", held=["coin"]),
    a_blind_step(5, "pay clerk", "He nods.", reward=5),
    a_blind_step(6, "restart", episode=2, seen=["coin"]),
)


def test_a_route_is_shortened_by_what_leaves_the_same_in_hand_and_by_asking() -> None:
    assert [stage.action for stage in route_after(*REARRANGED).stages] == ["take all", "pay clerk"]


def test_a_shortened_route_that_earns_less_is_given_up_for_the_whole_one() -> None:
    taken, again = (
        a_blind_step(7, "take all", "Taken.", held=["coin"], episode=2),
        a_blind_step(9, "restart", episode=3),
    )
    in_vain = a_blind_step(8, "pay clerk", "He frowns.", held=["coin"], episode=2)
    in_time = a_blind_step(8, "pay clerk", "He nods.", reward=5, episode=2)
    whole = ["take coin", "drop all", "take all", "pay clerk"]

    assert [each.action for each in route_after(*REARRANGED, taken, in_vain, again).stages] == whole
    assert [each.action for each in route_after(*REARRANGED, taken, in_time, again).stages] == whole[2:]


def test_after_a_restart_the_best_route_is_under_way_and_the_episode_behind() -> None:
    before, after = route_after(*CROWNED[:4]), route_after(*CROWNED)

    assert (before.is_behind, before.is_under_way) == (False, False)
    assert (after.is_behind, after.is_under_way, after.next("Hall")) == (True, True, "north")


def test_a_route_that_was_gone_to_its_end_is_no_longer_under_way() -> None:
    again = (
        a_blind_step(5, "north", room="Attic", episode=2),
        a_blind_step(6, "take crown", "Taken.", room="Attic", held=["crown"], reward=5, episode=2),
    )
    route = route_after(*CROWNED, *again)

    assert (route.is_behind, route.is_under_way, route.next("Attic")) == (False, False, None)


def test_a_route_is_given_up_where_it_leads_elsewhere() -> None:
    route = route_after(*CROWNED, a_blind_step(5, "north", room="Pit", episode=2))

    assert (route.is_behind, route.is_under_way, route.next("Pit")) == (True, False, None)


def test_every_third_episode_without_a_better_score_is_played_freely() -> None:
    restarts = [a_blind_step(n, "restart", episode=n - 2) for n in (5, 6)]

    assert not route_after(*CROWNED, *restarts).is_under_way
    assert route_after(*CROWNED, *restarts[:1]).is_under_way
