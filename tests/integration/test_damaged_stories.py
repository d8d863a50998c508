"""Damaged copies of stories: each plays on, or is refused in one line, within a limit; no child is left."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from test_emulator_faults import children

from games import BUNDLED
from mesh.errors import LanternError
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from tests.support.exhaustive import all_but

WITHIN = 60.0
"""Seconds for a start and two actions, each of which may hang, on a busy machine."""
QUICK = 6
ALL = 300
STORIES = (BUNDLED, *sorted((Path(__file__).parent / "stories").glob("*.z5")))


def damaged(seed: int) -> bytes:
    """A story with some damage: in its header, tables or code, or of another length."""
    chance = random.Random(seed)
    data = bytearray(STORIES[seed // 6 % len(STORIES)].read_bytes())
    high, code, words, things = (int.from_bytes(data[at : at + 2], "big") for at in (4, 6, 8, 10))
    kind = seed % 6
    if kind == 4:
        return bytes(data[: chance.randrange(len(data))])
    if kind == 5:
        return bytes(data) + chance.randbytes(chance.randrange(1, 5000))
    first, length = ((0, 64), (words, 500), (things, 2000), (min(high, code), 4000))[kind]
    for _ in range(chance.randrange(1, 30)):
        data[min(first + chance.randrange(length), len(data) - 1)] = chance.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("seed", all_but(range(QUICK), range(ALL)))
async def test_a_damaged_story_plays_on_or_is_refused_in_one_line(seed: int) -> None:
    began = time.monotonic()
    try:
        async with await Emulator.start(check_story(damaged(seed), "story"), 1) as emulator:
            await emulator.opening()
            for action in ("look", "north"):
                await emulator.play(action)
    except LanternError as error:
        assert len(str(error).splitlines()) == 1

    assert time.monotonic() - began < WITHIN
    assert children() == []
