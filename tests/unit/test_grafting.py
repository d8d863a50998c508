"""What has earned points in one list of actions is done in another as well."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from games import BUNDLED
from search.environment import Environment, SearchStopped
from search.frontier.expansion import Expander
from search.frontier.nodes import DeedCell
from search.frontier.search import exchange, frontier_search
from search.grafting import Grafter
from search.messages import Earned, Exchanged, Finished, Order, line_of, to_worker
from search.running import SearchRun
from search.task import Task
from tests.support.search.rig import SilentChannel, a_task
from zmachine.story_file import story_of

RUG = ("north", "up", "west", "search cupboard", "take rug")
"""Earns 4 points."""
LOGBOOK = ("north", "up", "west", "up", "open logbook", "down", "east", "down")
"""Earns 3 points in the fifth action."""
CAVE = (*RUG, "take lamp", "light lamp", "down", "in", "west", "south", "east")
"""Earns 5 points more in its last action, and nobody knows yet how to come back from there."""


@pytest.fixture
def task() -> Task:
    return a_task(Environment(BUNDLED, 0), SilentChannel())


def test_points_of_one_list_are_earned_in_another_too(task: Task) -> None:
    grafter = Grafter(task)
    grafter.learn(LOGBOOK)

    joined = grafter.improve(RUG, 1000)

    assert joined.score == task.best_score == task.replayed(task.best) == 4 + 3
    assert task.best[:5] == RUG
    assert [earning[1:] for _, earning in joined.earnings] == [("take rug", 4), ("open logbook", 3)]


def test_where_nothing_leads_back_from_the_end_points_are_earned_before_it(task: Task) -> None:
    grafter = Grafter(task)
    grafter.learn(LOGBOOK)

    joined = grafter.improve(CAVE, 1000).actions

    assert task.replayed(joined) == task.replayed(CAVE) + 3
    assert joined.index("open logbook") < joined.index("south")
    assert joined[-1] == "east"


def test_a_list_that_earns_all_that_others_do_stays_and_costs_its_replay(task: Task) -> None:
    grafter = Grafter(task)
    grafter.learn(RUG)
    spent = task.environment.probes

    assert grafter.improve(RUG, 1000).actions == RUG
    assert task.environment.probes == spent + len(RUG)


def test_without_probes_nothing_is_grafted(task: Task) -> None:
    grafter = Grafter(task)
    grafter.learn(LOGBOOK)

    assert grafter.improve(RUG, 0).score == 4
    assert task.best == ()


def test_the_best_list_is_improved_when_something_new_was_learned(task: Task) -> None:
    grafter = Grafter(task)
    grafter.learn(LOGBOOK)
    task.offer(RUG)

    grafter.improve_best(1000)
    spent = task.environment.probes
    grafter.improve_best(1000)

    assert task.best_score == 7
    assert task.environment.probes == spent


def test_how_points_are_earned_is_learned_once(task: Task) -> None:
    grafter = Grafter(task)

    grafter.learn(LOGBOOK)
    grafter.learn(("north", "up", "west", "look", "up", "open logbook"))
    assert len(grafter) == 1

    grafter.learn(RUG)
    assert len(grafter) == 2


def test_what_another_process_earns_is_learned_though_its_list_is_no_better(task: Task) -> None:
    grafter = Grafter(task)
    channel = cast("SilentChannel", task.channel)
    channel.others = [Exchanged(RUG, 4), Exchanged(LOGBOOK, 3)]
    opening, frontier = cast("Any", SimpleNamespace()), cast("Any", SimpleNamespace(push=lambda *_: None))
    opening.after = lambda *_: opening

    exchange(task, frontier, grafter, opening)

    assert task.best == RUG
    assert grafter.improve(RUG, 1000).score == 7


def test_a_process_tells_once_of_each_new_way_to_earn_points(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    epochs = 0

    def epoch(task: Task, expander: Expander, grafter: Grafter, opening: DeedCell, *_: object) -> None:
        nonlocal epochs
        epochs += 1
        if epochs > 2:
            raise SearchStopped
        for actions in (RUG, LOGBOOK):
            node = opening.after(actions, opening.position)
            expander.earned[(1, 1), actions[-1], len(expander.earned)] = node

    monkeypatch.setattr("search.frontier.search.epoch", epoch)
    with pytest.raises(SearchStopped):
        frontier_search(task)

    assert cast("SilentChannel", task.channel).earnings == [RUG, LOGBOOK]


async def test_the_parent_passes_such_a_list_on_to_the_other_processes() -> None:
    run = SearchRun(story_of(BUNDLED.read_bytes()), Order("", "frontier", 0, 1, 1000), 2)
    written: list[list[bytes]] = [[], []]
    processes = []
    for lines in written:
        stdout = asyncio.StreamReader()
        stdin = SimpleNamespace(write=lines.append)
        processes.append(SimpleNamespace(returncode=None, stdin=stdin, stdout=stdout, stderr=stdout))
    processes[0].stdout.feed_data(line_of(Earned(LOGBOOK, 3, 40)) + line_of(Finished(50)))
    run._processes = cast("Any", processes)

    await run._follow(0, cast("Any", processes[0]))

    assert written[0] == []
    assert [to_worker(line) for line in written[1]] == [Exchanged(LOGBOOK, 3)]
    assert run.state.score is None
    assert run.state.spent == 50
