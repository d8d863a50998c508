"""The search for valid actions in a second emulator: what it finds, and that it never costs a step."""

from __future__ import annotations

from test_emulator import a_story, scouting, searcher_of
from test_emulator_faults import a_trap, children
from test_runner import a_start

from schemas.game import ValidActions
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.game.valid_actions.searcher import SearchLimits, ValidActionSearcher

ENDLESS = SearchLimits(candidates=100_000, seconds=60)


async def found_after(searcher: ValidActionSearcher, emulator: Emulator, *actions: str) -> ValidActions:
    """The valid actions once both have played these."""
    searcher.open()
    played = await emulator.opening()
    for action in actions:
        searcher.follow(action)
        played = await emulator.play(action)
    return await searcher.valid(played.world)


async def test_a_valid_action_changes_the_world_each_in_its_own_way_and_another_is_left_out() -> None:
    story = a_story("zork1.z5")
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, ENDLESS) as searcher:
        valid = await found_after(searcher, emulator)
        worlds = []
        for action in valid.actions:
            await emulator.opening()
            played = await emulator.play(action)
            assert played.changed, action
            worlds.append(played.world)

    assert valid.complete
    assert len(set(worlds)) == len(worlds)
    assert {"north", "south", "west", "open mailbox"} <= set(valid.actions)
    assert "east" not in valid.actions


async def test_a_things_own_verb_and_a_pair_are_found_by_the_storys_grammar() -> None:
    story = a_story("zork1.z5")
    way = ["south", "east", "open window", "west", "west", "take lamp", "open trophy case"]
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, ENDLESS) as searcher:
        valid = await found_after(searcher, emulator, *way)

    assert {"turn on lantern", "put lantern in case", "drop lantern"} <= set(valid.actions)


async def test_waiting_is_valid_where_something_happens_by_itself_and_stands_after_what_does_more() -> None:
    story = a_story("pentari.z5")
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, ENDLESS) as searcher:
        valid = await found_after(searcher, emulator, *["wait"] * 3)

    assert "wait" not in valid.actions[:-1]


async def test_a_search_goes_on_where_it_stopped_when_the_world_is_met_again() -> None:
    story = a_story("advent.z5")
    limits = SearchLimits(candidates=20, seconds=60)
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, limits) as searcher:
        first = await found_after(searcher, emulator)
        searcher.follow("look")
        second = await searcher.valid((await emulator.play("look")).world)

    assert (first.tried, second.tried) == (20, 40)
    assert not first.complete
    assert second.actions[: len(first.actions)] == first.actions


async def test_a_search_that_hangs_is_given_up_in_that_world_alone() -> None:
    story = a_trap()
    limits = SearchLimits(candidates=1000, seconds=0.2)
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, limits) as searcher:
        hung = await found_after(searcher, emulator, "take stone")
        dropped = await emulator.play("drop stone")
        searcher.follow("drop stone")
        found = ValidActions()
        while not found.complete:
            found = await searcher.valid(dropped.world)

    assert hung == ValidActions(tried=0, cut=True)
    assert (found.actions, found.cut) == (("take stone",), False)


async def test_a_search_that_the_clock_ends_says_so() -> None:
    story = a_story("zork1.z5")
    hurried = SearchLimits(candidates=100_000, seconds=0.001)
    async with await Emulator.start(story, 1) as emulator, searcher_of(story, 1, hurried) as searcher:
        found = await found_after(searcher, emulator)

    assert found.cut and not found.complete


async def test_a_scout_whose_emulator_is_killed_finds_the_same() -> None:
    story = a_story("zork1.z5")
    spared = {child.pid for child in children()}
    async with await Emulator.start(story, 1) as emulator:
        spared |= {child.pid for child in children()}
        async with scouting(story, 1) as searcher:
            undisturbed = await found_after(searcher, emulator, "south", "east")
        async with scouting(story, 1) as searcher:
            searcher.open()
            await emulator.opening()
            for action in ("south", "east"):
                for other in children():
                    if other.pid not in spared and other.is_running():
                        other.kill()
                searcher.follow(action)
                played = await emulator.play(action)
                valid = await searcher.valid(played.world)

    assert valid == undisturbed


async def test_a_scout_that_stands_elsewhere_says_so_and_is_led_back_by_a_snapshot() -> None:
    story = a_story("zork1.z5")
    async with await Emulator.start(story, 1) as emulator, scouting(story, 1) as searcher:
        searcher.open()
        await emulator.opening()
        elsewhere = (await emulator.play("north")).world
        lost = await searcher.valid(elsewhere)
        assert (lost.actions, searcher.out_of_sync) == ((), True)
        snapshot = await emulator.snapshot()
        assert snapshot is not None
        searcher.restore(snapshot)
        found = await searcher.valid(elsewhere)

    assert not searcher.out_of_sync
    assert "south" in found.actions or "west" in found.actions


async def test_what_a_record_tells_of_a_world_is_not_looked_for_again() -> None:
    recalled = ValidActions(actions=("hop",), complete=True, tried=7)
    story = a_trap()
    async with await Emulator.start(story, 1) as emulator, scouting(story, 1) as searcher:
        searcher.open()
        played = await emulator.opening()
        searcher.recall(played.world, recalled)

        assert await searcher.valid(played.world) == recalled


async def test_an_incomplete_find_of_a_record_is_gone_on_with() -> None:
    story = a_story("zork1.z5")
    few, more = SearchLimits(candidates=30, seconds=60), SearchLimits(candidates=60, seconds=60)
    async with await Emulator.start(story, 1) as emulator:
        async with searcher_of(story, 1, few) as searcher:
            half = await found_after(searcher, emulator)
        async with searcher_of(story, 1, few) as searcher:
            searcher.recall((await emulator.opening()).world, half)
            resumed = await found_after(searcher, emulator)
        async with searcher_of(story, 1, more) as searcher:
            at_once = await found_after(searcher, emulator)

    assert half.tried < resumed.tried
    assert resumed == at_once


async def test_a_game_that_is_taken_up_again_forgets_the_same_world_first() -> None:
    story, first, second = a_story("zork1.z5"), GameSession(a_start()), GameSession(a_start())
    async with scouting(story, 1) as searcher, scouting(story, 1) as another:
        async with await Emulator.start(story, 1) as emulator:
            steps = [await first.opening(emulator, searcher)]
            steps += [await first.execute(action) for action in ("north", "west")]
        async with await Emulator.start(story, 1) as emulator:
            await second.rebuild(emulator, None, steps)
            await second.attach_searcher(another)

    assert steps[0].world == steps[2].world != steps[1].world
    assert list(another.found) == list(searcher.found) == [steps[1].world, steps[2].world]
