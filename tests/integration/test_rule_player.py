"""What the rule-based player earns before a search, and what the search makes of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lantern.play.search.rule_player import LISTS, play_before
from lantern.play.story_files import load_story
from search.messages import Order
from search.running import SearchRun, SearchState
from services.game.emulator.client import Emulator
from tests.support.scenes.stories import story_path
from zmachine.story_file import StoryFile, story_of

ORDER = Order(story="", method="frontier", emulator_seed=1, seed=1, probes=4_000)


async def begun(order: Order = ORDER, seconds: float | None = None) -> SearchRun:
    """A search whose player has played, and whose workers have not begun."""
    search = SearchRun(load_story("bundled"), order)
    await play_before(search, seconds)
    return search


async def score_after(actions: tuple[str, ...], story: StoryFile | None = None) -> int:
    """In the bundled game, if no other is given."""
    async with await Emulator.start(story or load_story("bundled"), ORDER.emulator_seed) as emulator:
        return [await emulator.play(action) for action in actions][-1].score


async def test_it_earns_points_and_takes_a_tenth_of_the_probes() -> None:
    search = await begun()

    assert 0 < search.state.spent <= ORDER.probes / 10
    assert search.order.probes == ORDER.probes - search.state.spent
    assert 0 < len(search.order.known) <= LISTS
    assert search.state.score
    assert await score_after(search.state.actions) == search.state.score


async def test_it_plays_the_same_again_and_another_seed_something_else() -> None:
    known = [(await begun(replace(ORDER, seed=seed))).order.known for seed in (1, 1, 2)]

    assert known[0] == known[1] != known[2]


async def test_the_search_goes_on_from_there() -> None:
    story = story_of(story_path("detective.z5").read_bytes())
    search = SearchRun(story, replace(ORDER, probes=8_000))
    await play_before(search)
    earned = search.state.score or 0

    found = await search.run()

    assert (found.score or 0) > earned > 0
    assert await score_after(found.actions, story) == found.score
    assert found.spent <= 8_000


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, options={"without": ["rules"]}),
        replace(ORDER, method="go-explore"),
        replace(ORDER, known=(("north",),)),
    ],
    ids=["left out", "another method", "an earlier search"],
)
async def test_it_does_not_play(order: Order) -> None:
    search = await begun(order)

    assert search.order == order
    assert search.state == SearchState()


async def test_it_takes_a_tenth_of_the_seconds() -> None:
    search = await begun(seconds=0.0)

    assert search.state.spent == 0


async def test_a_search_that_is_stopped_meanwhile_keeps_what_it_earned() -> None:
    def stop(state: SearchState) -> None:
        if state.score:
            search.stop()

    search = SearchRun(load_story("bundled"), ORDER, heard=stop)
    await play_before(search)
    found = await search.run()

    assert found.score and found.spent < ORDER.probes / 10
    assert await score_after(found.actions) == found.score
