"""The emulator of a session when actions, stories and processes are hostile."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mesh.errors import FailureError
from services.game.actions import FAULTY, GIVEN_UP, UNDONE
from services.game.checked_story import check_story
from services.game.emulator.child import WORKER, Child
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import Loaded, Played
from services.game.errors import EmulatorClosed, StoryUnplayable
from zmachine.story_file import StoryFile

TRAP = Path(__file__).parent / "stories" / "trap.z5"
LOOK = "Hall\nA bare hall with a stone in it."


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each test there is no new child, and no file of one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()
    yield
    assert set(children()) <= set(before)
    assert list(tmp_path.iterdir()) == []


def a_trap(damage: bytes = b"", at: int = 0) -> StoryFile:
    data = bytearray(TRAP.read_bytes())
    data[at : at + len(damage)] = damage
    return check_story(bytes(data), "trap.z5")


async def trapped(*actions: str, patience: float = 5.0) -> list[Played]:
    """What each action came to, in a story full of traps."""
    async with await Emulator.start(a_trap(), 1, patience=patience) as emulator:
        await emulator.opening()
        return [await emulator.play(action) for action in actions]


def children() -> list[psutil.Process]:
    """The emulators that this process started (other tests' servers are none)."""
    return [child for child in psutil.Process().children(recursive=True) if is_emulator(child)]


def is_emulator(process: psutil.Process) -> bool:
    try:
        return WORKER in process.cmdline()
    except psutil.Error:  # it has just ended
        return False


def folder_is_gone(child: psutil.Process) -> bool:
    try:
        return not Path(child.cwd()).exists()
    except psutil.Error:  # it has just ended
        return False


def the_child() -> psutil.Process:
    [child] = children()
    return child


@pytest.mark.parametrize(
    "hostile", ["wait\0", "wait\nwait", "wait\r\n\n", "\\n", "x" * 5000, "", "é\u2028", "\ud800"]
)
async def test_a_hostile_action_does_not_shift_the_observations_after_it(hostile: str) -> None:
    _, after = await trapped(hostile, "look")

    assert after.observation == LOOK


@pytest.mark.parametrize("action", ["save", "restore", "script", "undo", "help", "look. quit", "HINT"])
async def test_a_word_that_harms_the_session_never_reaches_the_game(action: str) -> None:
    answered, turns = await trapped(action, "turns")

    assert answered.observation.startswith("[Lantern")
    assert not answered.changed
    assert turns.observation == "Turn 1."


@pytest.mark.parametrize(("action", "answer"), [("ledger", UNDONE), ("silence", UNDONE), ("fault", FAULTY)])
async def test_an_action_that_the_game_does_not_come_back_from_is_taken_back(
    action: str, answer: str
) -> None:
    thrown, answered, again, _ = await trapped("dice", action, "turns", "dice")

    assert answered.observation == answer
    assert not answered.changed
    assert (answered.world, answered.inventory) == (thrown.world, thrown.inventory)
    assert again.observation == "Turn 2."


async def test_a_story_that_begins_itself_anew_begins_an_episode() -> None:
    taken, asked, again, turns = await trapped("take", "tale", "yes", "turns")

    assert (taken.begins, asked.begins, asked.done) == (False, False, False)
    assert again.begins and again.observation.endswith(LOOK)
    assert not turns.begins and turns.observation == "Turn 1."


async def test_what_only_prints_the_opening_again_begins_none() -> None:
    looked, turns = await trapped("look", "turns")

    assert (looked.begins, turns.observation) == (False, "Turn 2.")


async def test_a_pause_is_passed_with_the_space_bar() -> None:
    paused, after = await trapped("pause", "look")

    assert paused.observation == "Thank you."
    assert after.observation == LOOK


async def test_a_hang_is_given_up_told_and_costs_nothing_else() -> None:
    taken, hung, thrown = await trapped("take stone", "hang", "dice", patience=1.0)
    _, undisturbed = await trapped("take stone", "dice")

    assert hung.observation == GIVEN_UP
    assert not hung.changed
    assert (hung.world, hung.inventory) == (taken.world, taken.inventory)
    assert thrown == undisturbed


async def test_an_action_that_kills_each_fresh_child_is_given_up() -> None:
    _, crashed, thrown = await trapped("take stone", "crash", "dice")
    _, undisturbed = await trapped("take stone", "dice")

    assert crashed.observation == GIVEN_UP
    assert thrown == undisturbed


async def test_a_child_that_is_killed_from_outside_is_not_missed() -> None:
    actions = ["dice", "take stone", "dice", "perish", "look", "dice", "dice"]
    undisturbed = await trapped(*actions)

    async with await Emulator.start(a_trap(), 1) as emulator:
        await emulator.opening()
        steps = []
        for action in actions:
            os.kill(the_child().pid, signal.SIGKILL)
            steps.append(await emulator.play(action))

    assert steps == undisturbed


async def test_a_child_that_is_killed_while_it_works_is_not_missed() -> None:
    undisturbed = await trapped("dice", "dice", "dice")

    async with await Emulator.start(a_trap(), 1) as emulator:
        await emulator.opening()
        steps = [await emulator.play("dice")]
        the_child().suspend()
        asking = asyncio.create_task(emulator.play("dice"))
        await asyncio.sleep(0)
        the_child().kill()
        steps += [await asking, await emulator.play("dice")]

    assert steps == undisturbed


async def test_what_is_over_stays_over_until_the_next_action_begins_anew() -> None:
    taken, died, begun, turns, won = await trapped("take stone", "perish", "inventory", "turns", "win")

    assert (died.done, died.victory) == (True, False)
    assert begun.observation.startswith("TRAP")
    assert not begun.done
    assert begun.world != taken.world
    assert turns.observation == "Turn 1."
    assert (won.done, won.victory) == (True, True)


async def test_restart_begins_anew_with_the_same_seed() -> None:
    first, begun, second = await trapped("dice", "Restart", "dice")

    assert begun.observation.startswith("TRAP")
    assert second.observation == first.observation


async def test_a_score_that_cannot_be_known_is_none() -> None:
    [looked] = await trapped("look")

    assert (looked.score, looked.max_score, looked.moves) == (None, None, None)


async def test_a_story_that_ends_its_emulator_at_once_is_refused_in_one_line() -> None:
    crash_at_start = b"\x8d\xff\xff"  # print_paddr 65535
    start = int.from_bytes(TRAP.read_bytes()[6:8], "big")

    with pytest.raises(StoryUnplayable) as refused:
        await Emulator.start(a_trap(crash_at_start, start), 1)

    assert "cannot be run" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, FailureError)


async def test_a_story_that_hangs_at_once_is_refused_in_one_line() -> None:
    jump_to_itself = b"\x8c\xff\xff"
    start = int.from_bytes(TRAP.read_bytes()[6:8], "big")

    with pytest.raises(StoryUnplayable, match="does not come to its first prompt within 1 s"):
        await Emulator.start(a_trap(jump_to_itself, start), 1, start_patience=1.0)


async def test_after_close_no_child_is_left_and_no_action_taken() -> None:
    emulator = await Emulator.start(a_trap(), 1)
    child = the_child()
    await emulator.close()
    await emulator.close()

    assert not child.is_running()
    with pytest.raises(EmulatorClosed):
        await emulator.play("look")


async def test_a_cancelled_action_leaves_no_child_and_the_session_can_go_on() -> None:
    async with await Emulator.start(a_trap(), 1) as emulator:
        await emulator.opening()
        thrown = await emulator.play("dice")
        child = the_child()
        hanging = asyncio.create_task(emulator.play("hang"))
        await asyncio.sleep(0.05)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        child.wait(5)

        assert (await emulator.play("turns")).observation == "Turn 2."
        assert thrown.observation.startswith("You throw")


async def test_an_emulator_that_is_closed_while_its_child_is_replaced_leaves_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emulator = await Emulator.start(a_trap(), 1)
    loaded, closed, load = asyncio.Event(), asyncio.Event(), Child.load

    async def slow(child: Child, story: StoryFile, seed: int, patience: float) -> Loaded:
        told = await load(child, story, seed, patience)
        loaded.set()
        await closed.wait()
        return told

    monkeypatch.setattr(Child, "load", slow)
    the_child().kill()
    looking = asyncio.create_task(emulator.play("look"))
    await loaded.wait()
    await emulator.close()
    closed.set()

    with pytest.raises(EmulatorClosed):
        await looking


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    starting = asyncio.create_task(Emulator.start(a_trap(), 1))
    await asyncio.sleep(0.02)
    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_the_child_gets_no_secrets_and_works_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")

    async with await Emulator.start(a_trap(), 1):
        child = the_child()

        assert "ANTHROPIC_API_KEY" not in child.environ()
        assert folder_is_gone(child)


async def test_the_child_dies_with_its_parent() -> None:
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from services.game.emulator.client import Emulator\n"
        "from services.game.checked_story import check_story\n"
        "async def main():\n"
        "    story = check_story(Path(sys.argv[1]).read_bytes(), 'trap')\n"
        "    emulator = await Emulator.start(story, 1)\n"
        "    print('ready', flush=True)\n"
        "    await emulator.play('hang')\n"
        "asyncio.run(main())\n"
    )
    root = str(Path(__file__).parents[2])
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(TRAP), cwd=root, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    assert await asyncio.wait_for(parent.stdout.readline(), 30) == b"ready\n"
    [child] = psutil.Process(parent.pid).children()
    parent.kill()
    await parent.wait()

    child.wait(5)
