"""What the memory believes along a walkthrough is what the story's object tree says.

`python -m benchmarks.beliefs` prints the whole table, and what is compared.
"""

from __future__ import annotations

import pytest

from benchmarks.beliefs import HEAD, measure_in_child, row
from tests.support.scenes.stories import each_story, story_path

STEPS = 400
GOAL = 0.98
NOW = {"zork1.z5": 0.95, "detective.z5": 0.98, "lostpig.z8": 0.98, "library.z5": 0.96}
"""The share of things that are where they are believed, unseen moves included: measured, less a little."""


@pytest.mark.parametrize("name", each_story(NOW))
def test_beliefs_agree_with_the_object_tree(name: str) -> None:
    found = measure_in_child(story_path(name), STEPS)
    print(f"\n{HEAD}\n{row(found)}")

    assert found.steps > 40 and found.things > 100
    assert found.room == found.steps
    assert found.inventory / found.steps >= GOAL
    assert found.aged / found.things >= GOAL
    assert found.now / found.things >= NOW[name]


def test_from_text_alone_the_room_is_known_and_some_of_the_things() -> None:
    found = measure_in_child(story_path("zork1.z5"), 150, text_only=True)
    print(f"\n{HEAD}\n{row(found)}")

    assert found.room / found.steps >= 0.9
    assert found.now / found.things >= 0.4
