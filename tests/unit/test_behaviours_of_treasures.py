"""What the rule-based player does with treasures."""

from __future__ import annotations

import pytest

from schemas.game import StepTaken
from tests.support.scenes.builders import a_step
from tests.support.scenes.player_scenes import a_blind_step, best_action, ideas_of, utility_of


def a_treasure_hunt(*, reward: int) -> list[StepTaken]:
    """A crown is left where the story began; another one is found."""
    return [
        a_step(0, held=["gold crown"], world="a"),
        a_step(1, "drop crown", held=[], reward=reward, score=reward, world="b", changed=True),
        a_step(2, "north", room="Attic", held=["silver cup"], score=reward, world="c", changed=True),
        a_step(3, "south", held=["silver cup"], score=reward, world="d", changed=True),
    ]


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


@pytest.mark.parametrize(("held_before", "walks"), [((), True), (("iron key",), False)])
def test_one_walks_back_only_with_what_was_never_brought_there(
    held_before: tuple[str, ...], walks: bool
) -> None:
    steps = (
        *(a_blind_step(n, f"push b{n}" if n else None, f"Click {n}.", held=held_before) for n in range(3)),
        a_blind_step(3, "restart", episode=2),
        a_blind_step(4, "north", room="Attic", episode=2),
        a_blind_step(5, "take key", "Taken.", room="Attic", held=["iron key"], episode=2),
    )

    assert bool(ideas_of("travel", *steps)) is walks
