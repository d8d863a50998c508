"""Snapshots of an emulator, and the pool of children: what is replaced goes on as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest
from test_emulator import a_story, played, wandered
from test_emulator_faults import a_trap, children, trapped

from games import BUNDLED
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import Play, SnapshotRefused
from tests.support.scenes.stories import each_story
from zmachine.story_file import StoryFile


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each test there is no child, and no file of one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert children() == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
async def pool() -> AsyncIterator[ChildPool]:
    """A pool of one child."""
    pool = ChildPool(1)
    pool.fill()
    yield pool
    await pool.close()


def the_bundled() -> StoryFile:
    return check_story(BUNDLED.read_bytes(), BUNDLED.name)


def playing() -> psutil.Process:
    """The child that has a story: the older one, as a spare is started when one is taken."""
    return min(children(), key=psutil.Process.create_time)


@pytest.mark.parametrize("name", each_story())
async def test_another_child_goes_on_from_a_snapshot(name: str) -> None:
    story = a_story(name)
    actions, steps = await wandered(story, 40, seed=3)

    async with await Emulator.start(story, 3, snapshot_every=20) as emulator:
        await emulator.opening()
        for action in actions[:20]:
            await emulator.play(action)
        snapshot = emulator.fresh_snapshot
    assert snapshot is not None
    async with await Emulator.start(story, 3) as other:
        await other.restore(snapshot)
        rest = [await other.play(action) for action in actions[20:]]

    assert rest == steps[21:]


async def test_a_child_killed_again_and_again_between_snapshots_is_not_missed() -> None:
    story = the_bundled()
    actions, steps = await wandered(story, 60)
    chance = random.Random(7)

    async with await Emulator.start(story, 1, snapshot_every=7) as emulator:
        again = [await emulator.opening()]
        for action in actions:
            if chance.random() < 0.4:
                os.kill(playing().pid, signal.SIGKILL)
            again.append(await emulator.play(action))

    assert again == steps


async def test_a_snapshot_holds_the_dice_and_the_end_of_a_game() -> None:
    actions = ["dice", "take stone", "perish", "look", "dice", "dice"]
    undisturbed = await trapped(*actions)

    async with await Emulator.start(a_trap(), 1, snapshot_every=1) as emulator:
        await emulator.opening()
        again = []
        for action in actions:
            again.append(await emulator.play(action))
            os.kill(playing().pid, signal.SIGKILL)

    assert again == undisturbed


async def test_a_foreign_snapshot_is_refused_and_the_game_stays_where_it_is() -> None:
    async with await Emulator.start(the_bundled(), 1, snapshot_every=1) as other:
        await other.opening()
        await other.play("look")
        foreign = other.fresh_snapshot
    assert foreign is not None

    async with await Emulator.start(a_trap(), 1) as emulator:
        await emulator.opening()
        first = await emulator.play("dice")
        for broken in (foreign, foreign[:-4], "rubbish"):
            with pytest.raises(SnapshotRefused):
                await emulator.restore(broken)
        second = await emulator.play("dice")

    assert [first, second] == await trapped("dice", "dice")


async def test_a_child_that_is_killed_while_it_replays_is_not_missed() -> None:
    story = the_bundled()
    actions, steps = await wandered(story, 30)

    async with await Emulator.start(story, 1, snapshot_every=5) as emulator:
        await emulator.rewind()
        os.kill(playing().pid, signal.SIGKILL)
        echoes = await emulator.replay([Play(action) for action in actions])

    assert [echo.world for echo in echoes] == [step.world for step in steps[1:]]


async def test_a_start_takes_the_spare_child_and_another_takes_its_place(pool: ChildPool) -> None:
    [spare] = children()

    async with await Emulator.start(the_bundled(), 1, pool=pool) as emulator:
        assert playing().pid == spare.pid
        assert len(children()) == 2
        opening = await emulator.opening()

    assert [opening] == await played(the_bundled(), [])


async def test_a_dead_spare_is_skipped(pool: ChildPool) -> None:
    [spare] = children()
    spare.kill()
    spare.wait(10)

    async with await Emulator.start(the_bundled(), 1, pool=pool) as emulator:
        assert playing().pid != spare.pid
        await emulator.opening()


async def test_a_spare_that_dies_while_it_loads_is_replaced(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    [spare] = children()
    taken = pool.take

    def take_and_kill() -> object:
        child = taken()
        spare.kill()
        return child

    monkeypatch.setattr(pool, "take", take_and_kill)

    async with await Emulator.start(the_bundled(), 1, pool=pool) as emulator:
        assert playing().pid != spare.pid
        await emulator.opening()


async def test_an_emulator_killed_under_way_is_replaced_by_the_spare(pool: ChildPool) -> None:
    async with await Emulator.start(a_trap(), 1, pool=pool) as emulator:
        await emulator.opening()
        [spare] = [child for child in children() if child.pid != playing().pid]
        first = await emulator.play("dice")
        os.kill(playing().pid, signal.SIGKILL)
        second = await emulator.play("dice")

        assert playing().pid == spare.pid

    assert [first, second] == await trapped("dice", "dice")
