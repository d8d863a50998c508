"""Searches in processes of their own: what they find is true, and found again."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from mesh.child_process import send_signal
from search import worker
from search.channel import Channel
from search.environment import Environment
from search.messages import FromWorker, Improved, Order
from search.running import SearchFailed, SearchRun, SearchState
from services.game.emulator.client import Emulator
from tests.support.scenes.stories import story_path
from tests.support.search.rig import STORIES
from zmachine.story_file import StoryFile, story_of

PROBES = 3000
METHODS = ("frontier", "go-explore", "random")


def the_story() -> StoryFile:
    return story_of(story_path("detective.z5").read_bytes())


def an_order(*, method: str, seed: int = 1, probes: int = PROBES) -> Order:
    return Order(story="", method=method, emulator_seed=1, seed=seed, probes=probes)


async def searched(order: Order, *, jobs: int = 1, story: StoryFile | None = None) -> SearchState:
    return await SearchRun(story or the_story(), order, jobs).run()


@pytest.mark.parametrize("method", METHODS)
async def test_a_search_finds_points_that_a_session_earns_too(method: str) -> None:
    found = await searched(an_order(method=method))

    async with await Emulator.start(the_story(), 1) as emulator:
        last = [await emulator.play(action) for action in found.actions][-1]
    assert found.score and found.score > 0
    assert last.score == found.score


def test_each_process_of_a_search_has_its_own_number_and_seed() -> None:
    run = SearchRun(the_story(), an_order(method="frontier", seed=3), 2)
    orders = [run.order_of(number, Path("story.z5")) for number in range(2)]

    assert [(order.number, order.seed, order.probes) for order in orders] == [
        (0, 6, PROBES // 2),
        (1, 7, PROBES // 2),
    ]


def scores_of(actions: Sequence[str], path: Path) -> list[int]:
    """What a search reads at the opening and after each action; in a process of its own."""
    environment = Environment(path, 1)
    return [environment.opening.score, *(environment.step(action).score for action in actions)]


def test_a_score_that_is_told_only_when_asked_is_asked_for() -> None:
    to_the_end_of_the_alley = ("south", "north", "south", "north", "north", "north")
    actions = (*to_the_end_of_the_alley, "take shawm", "blow shawm")
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        scores = pool.submit(scores_of, actions, story_path("murdac.z5")).result()

    assert scores == [10] * 6 + [15] * 2 + [5], "the last action kills, and the story tells what is left"


def worlds_at_the_start(path: Path) -> tuple[str, str]:
    """The world of the opening, and the one in which a method begins that goes on from an earlier search."""
    begun: list[str] = []
    worker.JOBS["noting"] = lambda task: begun.append(task.environment.world())
    order = replace(an_order(method="noting"), story=str(path), known=(("west", "take paper"),))
    worker.searched(order, Channel(BytesIO(), BytesIO()))
    return Environment(path, 1).world(), begun[0]


def test_a_search_that_goes_on_from_an_earlier_one_begins_at_the_opening() -> None:
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        opening, begun = pool.submit(worlds_at_the_start, story_path("detective.z5")).result()

    assert begun == opening


@pytest.mark.parametrize("method", METHODS)
async def test_a_search_of_one_seed_finds_the_same_again_with_the_same_probes(method: str) -> None:
    one, other = [await searched(an_order(method=method)) for _ in range(2)]

    assert one == other
    assert one.spent <= PROBES


@pytest.mark.parametrize("method", (*METHODS, "puct"))
async def test_a_search_of_a_story_whose_opening_has_no_valid_action_ends(method: str) -> None:
    """The opening of `weapon` answers nothing that is tried there."""
    opening = story_of(story_path("weapon.z5").read_bytes())

    found = await SearchRun(opening, an_order(method=method, probes=1000), jobs=1).run()

    assert 0 < found.spent <= 1000


async def test_a_search_ends_and_names_the_action_that_the_game_never_ends() -> None:
    story = story_of((Path(__file__).parent / "stories" / "trap.z5").read_bytes())
    order = replace(an_order(method="frontier"), known=(("look", "hang"),), patience=0.5)

    found = await SearchRun(story, order).run()

    assert (found.endless, found.exhausted) == (["hang"], False)


async def test_a_search_ends_when_all_points_are_found() -> None:
    story = story_of((STORIES / "crack.z5").read_bytes())
    found = await searched(an_order(method="frontier", probes=10**9), jobs=2, story=story)

    assert (found.score, found.complete, found.exhausted) == (10, True, False)


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


async def test_a_search_that_is_stopped_before_its_workers_run_ends_without_an_error() -> None:
    run = SearchRun(the_story(), an_order(method="random", probes=10**9), jobs=2)
    run.stop()

    state = await run.run(seconds=60)

    assert state.actions == ()


async def test_a_worker_that_dies_is_an_error_of_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SearchFailed, match="The search by nonsense has failed: KeyError: 'nonsense'"):
        await searched(an_order(method="nonsense"), jobs=2)

    assert "Unknown child process" not in caplog.text


async def test_a_worker_that_is_killed_is_an_error_and_what_was_found_stays() -> None:
    def killed(state: SearchState) -> None:
        if state.actions:
            send_signal(run.workers[0], signal.SIGKILL)

    run = SearchRun(the_story(), an_order(method="go-explore", probes=10**9), jobs=2, heard=killed)

    with pytest.raises(SearchFailed, match="its process was killed"):
        await run.run()
    assert run.state.actions


class OneKnows(SearchRun):
    """A search whose first worker begins with a list that the others do not know."""

    known: tuple[str, ...] = ()

    def order_of(self, number: int, path: Path) -> Order:
        order = super().order_of(number, path)
        return order if number else replace(order, known=(self.known,))


@dataclass
class ReportsOfWorkers(SearchState):
    """What a search has found, and the best score that each worker has told."""

    best: dict[int, int] = field(default_factory=dict)

    def heard(self, worker: int, message: FromWorker) -> bool:
        if isinstance(message, Improved):
            self.best[worker] = message.score
        return super().heard(worker, message)


@pytest.mark.parametrize("method", ["frontier", "go-explore"])
async def test_what_one_worker_finds_the_other_takes_up(method: str) -> None:
    good = await searched(an_order(method="frontier"))
    run = OneKnows(the_story(), an_order(method=method, seed=3, probes=10**9), jobs=2)
    run.known = good.actions
    run.state = told = ReportsOfWorkers()
    run.notify = lambda state: run.stop() if told.best.get(1, 0) >= (good.score or 0) else None

    await run.run(seconds=120)

    assert good.score and told.best[1] >= good.score
