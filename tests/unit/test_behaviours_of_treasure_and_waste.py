"""What the rule-based player does with treasures, and what it no longer does in vain."""

from __future__ import annotations

from itertools import pairwise

import pytest

from folds.map import Map
from folds.playthrough import Playthrough
from folds.route import route_step, without_detours
from schemas.game import StepTaken
from services.actor.heuristic.options import options
from tests.support.scenes.builders import a_step, folded
from tests.support.scenes.player_scenes import a_blind_step, a_situation, ideas_of, utility_of


def a_treasure_hunt(*, reward: int) -> list[StepTaken]:
    """A crown is left where the story began; another one is found."""
    return [
        a_step(0, held=["gold crown"], world="a"),
        a_step(1, "drop crown", held=[], reward=reward, score=reward, world="b", changed=True),
        a_step(2, "north", room="Attic", held=["silver cup"], score=reward, world="c", changed=True),
        a_step(3, "south", held=["silver cup"], score=reward, world="d", changed=True),
    ]


def best_action(*steps: StepTaken) -> str:
    """The action of most utility."""
    return max(options(a_situation(*steps)), key=lambda option: option.utility).action


def test_a_treasure_is_left_once_where_the_story_began_and_in_what_keeps_treasures() -> None:
    assert ideas_of("deposit", a_step(0, held=["gold crown", "iron key", "stick"])) == ["drop crown"]
    assert "put crown in case" in ideas_of("deposit", a_step(0, held=["gold crown"], seen=["glass case"]))


def test_where_a_treasure_counted_the_next_one_is_left_before_anything_else() -> None:
    assert best_action(*a_treasure_hunt(reward=5)) == "drop cup"


def test_a_treasure_that_counted_is_not_taken_back() -> None:
    last = a_step(4, "look", seen=["gold crown"], score=5, valid=["take crown", "take all"], world="e")

    assert utility_of("take crown", *a_treasure_hunt(reward=5), last) == 0.0
    assert utility_of("take all", *a_treasure_hunt(reward=5), last) == 0.0


def test_with_a_treasure_one_walks_back_to_where_treasures_are_wanted() -> None:
    sign = "A sign says: LEAVE TREASURES HERE."
    steps = (
        a_blind_step(0),
        a_blind_step(1, "north", sign, room="Vault"),
        a_blind_step(2, "east", room="Cave"),
        a_blind_step(3, "take pearl", "Taken.", room="Cave", held=["white pearl"]),
    )

    assert ideas_of("travel", *steps) == ["west"]


def test_where_treasures_count_each_is_left_again_in_a_new_episode_whatever_came_of_it_before() -> None:
    steps = (
        a_step(0, held=["gold crown", "silver cup"], world="a"),
        a_step(1, "drop crown", text="No.", held=["gold crown", "silver cup"], world="a"),
        a_step(2, "drop cup", held=["gold crown"], reward=5, score=5, world="b", changed=True),
        a_step(3, "restart", held=["gold crown"], world="c", episode=2),
    )

    assert ideas_of("deposit", *steps) == ["drop crown"]


def test_two_treasures_that_counted_for_nothing_in_a_room_are_enough() -> None:
    steps = (
        a_step(0, held=["gold crown"], world="a"),
        a_step(1, "drop crown", held=[], world="b", changed=True),
        a_step(2, "take cup", held=["silver cup"], world="c", changed=True),
        a_step(3, "drop cup", held=[], world="d", changed=True),
        a_step(4, "take pearl", held=["white pearl"], world="e", changed=True),
    )

    assert ideas_of("deposit", *steps) == []


def test_a_valid_action_that_was_never_done_comes_before_what_was_done() -> None:
    steps = (
        a_step(0, valid=["push bell", "put hat on hook"], world="a"),
        a_step(1, "push bell", valid=["push bell", "put hat on hook"], world="b", changed=True),
    )

    assert ideas_of("improvise", *steps)[0] == "put hat on hook"


def test_what_has_cost_points_twice_is_not_done_for_being_valid() -> None:
    steps = (
        a_step(0, valid=["rub lamp"], world="a"),
        a_step(1, "rub lamp", valid=["rub lamp"], reward=-5, score=-5, world="b", changed=True),
        a_step(2, "north", room="Attic", valid=["rub lamp"], score=-5, world="c", changed=True),
        a_step(3, "rub lamp", valid=[], room="Attic", reward=-5, score=-10, world="d", changed=True),
        a_step(4, "north", room="Loft", valid=["rub lamp"], score=-10, world="e", changed=True),
    )

    assert ideas_of("valid", *steps[:3]) == ["rub lamp"]
    assert ideas_of("valid", *steps) == []


def test_what_was_looked_at_in_an_earlier_episode_is_not_looked_at_again_where_it_changes_nothing() -> None:
    steps = (
        a_step(0, seen=["statue"], world="a"),
        a_step(1, "examine statue", text="It is of marble.", seen=["statue"], world="a"),
        a_step(2, "restart", seen=["statue"], world="b", episode=2),
    )

    assert "examine statue" not in ideas_of("things", *steps)


@pytest.mark.parametrize(("held_before", "walks"), [((), True), (("iron key",), False)])
def test_one_walks_back_only_with_what_was_never_brought_there(
    held_before: tuple[str, ...], walks: bool
) -> None:
    steps = (
        a_blind_step(0, held=held_before),
        a_blind_step(1, "restart", episode=2),
        a_blind_step(2, "north", room="Attic", episode=2),
        a_blind_step(3, "take key", "Taken.", room="Attic", held=["iron key"], episode=2),
    )

    assert bool(ideas_of("travel", *steps)) is walks


def test_a_way_that_leads_back_into_the_same_room_is_no_barred_one() -> None:
    steps = (a_step(0, room="Forest"), a_step(1, "south", text="Forest\nTrees everywhere.", room="Forest"))

    assert folded(Map(), steps).barred("Forest") == {}


def test_what_opened_a_way_is_done_at_once_in_a_later_episode() -> None:
    steps = (
        a_step(0, valid=["cut tree", "push bell"], world="a"),
        a_step(1, "cut tree", valid=["in", "push bell"], world="b", changed=True),
        a_step(2, "restart", valid=["cut tree", "push bell"], world="a", episode=2),
    )

    assert best_action(*steps) == "cut tree"


def test_what_can_be_done_in_a_car_comes_before_getting_out_again() -> None:
    steps = (
        a_step(0, valid=["enter car"], world="a"),
        a_step(1, "enter car", valid=["out", "push button"], world="b", changed=True),
    )

    assert best_action(*steps) == "push button"


def test_where_the_objects_of_a_story_tell_nothing_its_text_tells_what_is_held() -> None:
    steps = (
        a_step(0, text="There is a large iron key here.", valid=["take key"]),
        a_step(1, "take key", text="Taken.", world="v", changed=True),
    )
    read = folded(Playthrough(), steps).last

    assert read is not None and [thing.name for thing in read.inventory or ()] != []


def test_a_route_goes_without_what_ends_in_the_world_in_which_it_began() -> None:
    steps = (
        a_step(0, world="a"),
        a_step(1, "take hat", world="b", changed=True),
        a_step(2, "drop hat", world="a", changed=True),
        a_step(3, "push bell", world="c", changed=True, reward=5),
    )
    stages = [route_step(before, now) for before, now in pairwise(steps)]

    assert [stage.action for stage in without_detours(stages)] == ["push bell"]


def test_points_that_only_make_good_a_loss_are_not_sought_again() -> None:
    steps = (
        a_step(0, world="a"),
        a_step(1, "take gem", score=5, reward=5, world="b", changed=True),
        a_step(2, "put gem in cage", score=0, reward=-5, world="c", changed=True),
        a_step(3, "take gem", score=5, reward=5, world="d", changed=True),
        a_step(4, "wear gem", score=9, reward=4, world="e", changed=True),
    )
    known = a_situation(*steps).attempts

    assert known.earned_in("Hall") == {"take gem": 5, "wear gem": 4}
    assert known.by_room["Hall"][2].regained


def test_a_room_in_which_one_was_stuck_twice_is_not_entered_again() -> None:
    steps: list[StepTaken] = []
    for episode in (1, 2, 3):
        number, world = len(steps), str(episode)
        steps.append(a_step(number, "restart" if number else None, world=f"a{world}", episode=episode))
        if episode < 3:
            steps.append(a_step(number + 1, "down", room="Bog", world=f"b{world}", episode=episode))
            steps += [
                a_step(n, "rub lamp" if n % 30 == 5 else "jump", room="Bog", world=f"c{n}", episode=episode)
                for n in range(number + 2, number + 30)
            ]

    assert "down" in a_situation(*steps).experience.deadly("Hall")
