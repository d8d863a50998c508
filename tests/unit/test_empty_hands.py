"""What the frontier search lays down where a way bars whoever carries much."""

from __future__ import annotations

from random import Random

import pytest

from search.environment import Environment
from search.frontier.empty_hands import EmptyHands
from search.frontier.parts import SearchPart
from tests.support.search.rig import STORIES, Rig

TAKEN = ("take spade", "south", "take bucket", "take mirror", "north")


@pytest.fixture
def rig() -> Rig:
    rig = Rig(Environment(STORIES / "crack.z5", 0))
    rig.walker.is_news = lambda score, memory, changed: False
    return rig


def walked(rig: Rig, *actions: str, without: frozenset[SearchPart] = frozenset()) -> list[tuple[str, ...]]:
    """What is done to get on where these actions have led."""
    for action in actions:
        rig.environment.step(action)
    sweep = rig.walker.sweep()
    return [deed.actions for deed in EmptyHands(rig.deeds, rig.walker, Random(1), without).found(sweep)]


def test_as_much_is_kept_as_a_way_lets_pass(rig: Rig) -> None:
    through = next(actions for actions in walked(rig, *TAKEN) if actions[-1] == "north")

    assert len(through) == 3 and all(action.startswith("drop ") for action in through[:-1])


def test_a_way_that_kills_whoever_has_a_load_is_walked_without_any(rig: Rig) -> None:
    across = next(actions for actions in walked(rig, *TAKEN) if actions[-1] == "east")

    assert sorted(across[:-1]) == ["drop bucket", "drop mirror", "drop spade"]


def test_nothing_is_tried_twice_at_a_score(rig: Rig) -> None:
    for action in TAKEN:
        rig.environment.step(action)
    sweep, empty_hands = rig.walker.sweep(), EmptyHands(rig.deeds, rig.walker, Random(1))

    assert len(list(empty_hands.found(sweep))) == 2
    assert not list(empty_hands.found(sweep))
    empty_hands.forget()
    assert len(list(empty_hands.found(sweep))) == 2


def test_a_way_that_was_barred_is_walked_when_the_hands_are_empty(rig: Rig) -> None:
    walked(rig, *TAKEN, without=frozenset({SearchPart.EMPTY_HANDS}))
    rig.environment.restart()

    assert ("north",) in walked(rig)


def test_without_the_part_nothing_is_laid_down(rig: Rig) -> None:
    assert walked(rig, *TAKEN, without=frozenset({SearchPart.EMPTY_HANDS})) == []
