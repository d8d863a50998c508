"""Stories that Jericho knows, read as if it did not: what the general way tells is what Jericho tells.

The floors are what was measured, less a little. `python -m benchmarks.agreement` prints the whole table.
"""

from __future__ import annotations

import pytest

from benchmarks.agreement import HEAD, measured_apart, row
from tests.support.scenes.stories import each_story, story_path

STEPS = 60
WORLDS = {
    "advent.z5": 0.98,
    "balances.z5": 0.95,
    "deephome.z5": 0.96,
    "detective.z5": 0.98,
    "library.z5": 0.98,
    "lostpig.z8": 0.97,
    "ludicorp.z5": 0.98,
    "pentari.z5": 0.40,
    "temple.z5": 0.98,
    "zork1.z5": 0.96,
    "ztuu.z5": 0.98,
}
"""Of the pairs of neighbouring worlds, the share that both hashes call equal or both different, at least.

In pentari an elf walks about, whom Jericho counts as a part of the world and the general hash does not.
"""
UNKNOWN = {"lostpig.z8": ("moves",)}
"""What a story does not tell: Lost Pig shows no turns, and does not answer with them."""


@pytest.mark.parametrize("name", each_story(WORLDS))
def test_the_general_way_agrees_with_jericho(name: str) -> None:
    found = measured_apart(story_path(name), STEPS)
    print(f"\n{HEAD}\n{row(found)}")

    assert found.steps > 40
    assert found.room == found.inventory == found.steps - found.blind > 0
    assert found.score == found.steps
    assert len(set(found.max_score.split(" of "))) == 1
    assert found.unknown == UNKNOWN.get(name, ())
    assert found.neighbours_agree / found.neighbours >= WORLDS[name]
    assert found.equal_too / found.equal >= 0.6
