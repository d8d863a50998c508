"""Searches in processes of their own: what they find is true, and found again."""

from __future__ import annotations

import pytest

from search.messages import Order
from search.running import SearchFailed, SearchRun, SearchState
from services.game.emulator.client import Emulator
from tests.support.scenes.stories import story_path
from zmachine.story_file import StoryFile, story_of

PROBES = 3000
METHODS = ("frontier", "random")


def the_story() -> StoryFile:
    return story_of(story_path("detective.z5").read_bytes())


def an_order(*, method: str, seed: int = 1, probes: int = PROBES) -> Order:
    return Order(story="", method=method, emulator_seed=1, seed=seed, probes=probes)


async def searched(order: Order, *, jobs: int = 1) -> SearchState:
    return await SearchRun(the_story(), order, jobs).run()


@pytest.mark.parametrize("method", METHODS)
async def test_a_search_finds_points_that_a_session_earns_too(method: str) -> None:
    found = await searched(an_order(method=method))

    async with await Emulator.start(the_story(), 1) as emulator:
        last = [await emulator.play(action) for action in found.actions][-1]
    assert found.score and found.score > 0
    assert last.score == found.score


@pytest.mark.parametrize("method", METHODS)
async def test_a_search_of_one_seed_finds_the_same_again_with_the_same_probes(method: str) -> None:
    one, other = [await searched(an_order(method=method)) for _ in range(2)]

    assert one == other
    assert one.spent <= PROBES


async def test_two_workers_share_the_probes() -> None:
    found = await searched(an_order(method="random"), jobs=2)

    assert found.probes.keys() == {0, 1}
    assert found.spent <= PROBES


async def test_a_search_that_is_stopped_keeps_its_best() -> None:
    run = SearchRun(
        the_story(),
        an_order(method="random", probes=10**9),
        heard=lambda state: run.stop() if state.actions else None,
    )

    state = await run.run()

    assert state.score and state.actions


async def test_a_worker_that_dies_is_an_error_of_one_line() -> None:
    with pytest.raises(SearchFailed, match="The search by nonsense has failed: KeyError: 'nonsense'"):
        await searched(an_order(method="nonsense"))
