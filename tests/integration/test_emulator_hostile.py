"""Whatever is typed at whatever story: no emulator dies or stalls, and every answer belongs to its action."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import psutil
import pytest

from services.game.actions import GIVEN_UP
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from tests.support.scenes.stories import DIRECTORY, STORIES, each_story, story_path
from zmachine.emulator.input_line import LONGEST, cleaned
from zmachine.story_file import StoryFile

ACTIONS = 500
FIXED = (
    "\0",
    "look\0wait",
    "look\nwait\nquit",
    "\r\n\r\n",
    "\\",
    "\\n\\s\\q",
    "say \\ to \\\\",
    "x" * 5000,
    "take " * 1000,
    "é" * 300,
    "🙂 north",
    "\ud800",
    "\x1b[2J",
    "",
    "   ",
    ">",
    '"',
    "'",
    "1",
    "0",
    "-1",
    "99999999999999999999",
    "y",
    "n",
    "yes",
    "no",
    "oops",
    "again",
    "g. g. g",
    "it",
    "all",
    "take all",
    "drop all. take all",
    "put all in all",
    "take",
    "unlock",
    "give",
    "ask",
    "say hello",
    "north",
    "s",
    "e. w",
    "up",
    "enter",
    "out",
    "wait",
    "z",
    "look",
    "inventory",
    "score",
    "verbose",
    "superbrief",
    "quit",
    "q",
    "look. quit",
    "restart",
    "take all. restart. look",
    "save",
    "restore",
    "undo",
    "undo. undo",
    "script",
    "unscript",
    "transcript on",
    "recording",
    "replay",
    "$verify",
    "$ve",
    "#comm",
    "#rand 1",
    "version",
    "help",
    "about",
    "menu",
    "hint",
    "hints on",
    "info",
    "credits",
    "instructions",
    "xyzzy",
    "die",
    "kill me",
    "jump",
    "sleep",
    "swear",
    "pray",
    "examine me",
    "examine every thing in the whole wide world",
)


def hostile_actions(seed: int) -> list[str]:
    """The fixed ones, each at least once, and bytes at random."""
    chance = random.Random(seed)
    actions = list(FIXED)
    while len(actions) < ACTIONS:
        if chance.random() < 0.6:
            actions.append(chance.choice(FIXED))
        else:
            actions.append(chance.randbytes(chance.randrange(1, 2 * LONGEST)).decode("latin-1"))
    chance.shuffle(actions)
    return actions


def the_story(path: Path) -> StoryFile:
    return check_story(path.read_bytes(), path.name)


def emulators() -> list[int]:
    found = psutil.Process(os.getpid()).children(recursive=True)
    return sorted(child.pid for child in found if "emulator.interpreter.worker" in " ".join(child.cmdline()))


@pytest.mark.skipif(not DIRECTORY.exists(), reason=f"only the bundled story is there, and no {DIRECTORY}")
def test_the_stories_at_hand_are_looked_at() -> None:
    assert len(STORIES) > 1


@pytest.mark.parametrize("name", each_story())
async def test_no_action_harms_a_session_or_shifts_its_observations(name: str) -> None:
    story = the_story(story_path(name))
    actions = hostile_actions(seed=1)

    async with (
        await Emulator.start(story, 1) as abused,
        await Emulator.start(story, 1) as clean,
    ):
        opening, _ = await abused.opening(), await clean.opening()
        before = emulators()
        for action in actions:
            answer, expected = await asyncio.gather(abused.play(action), clean.play(cleaned(action)))
            assert answer == expected, action
            assert answer.observation.strip(), action
            assert answer.observation != GIVEN_UP, action
        begun = [await abused.play(action) for action in ("restart", "look")]
        await clean.opening()
        fresh = await clean.play("look")

        assert emulators() == before
    assert begun[0].observation == opening.observation
    assert begun[1].observation == fresh.observation
