"""A story can be compiled in the words of another family of parsers."""

from __future__ import annotations

import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from benchmarks.wordings import INFOCOM, INFORM, STORIES, compiled, in_words_of, rows
from services.game.emulator.interpreter.game import Game

MAZE = STORIES / "maze.inf"


def answers(story: Path, *actions: str) -> list[str]:
    """What a story says to each action; in a process of its own: the emulator keeps everything in globals."""
    game = Game(story, 1)
    game.begin()
    return [game.play(action).observation.strip() for action in actions]


@pytest.mark.skipif(
    shutil.which("inform6") is None,
    reason="needs inform6; mend: apt-get install inform6-compiler inform6-library",
)
@pytest.mark.parametrize(
    ("wording", "said"),
    [
        (INFORM, ["You can't see any such thing.", "Score notification on."]),
        (INFOCOM, ['I don\'t know the word "fnord".', "That sentence isn't one I recognize."]),
    ],
)
def test_a_story_speaks_in_either_wording(wording: str, said: list[str], tmp_path: Path) -> None:
    story = compiled(MAZE, wording, tmp_path)

    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        found = pool.submit(answers, story, "examine fnord", "notify on").result()

    assert found == said


def test_a_story_with_words_of_its_own_is_compared_by_inform_s() -> None:
    source = 'Include "Parser";\nInclude "classic.h";\n[ Initialise; location = Hall; ];\n'

    assert "classic.h" not in in_words_of(INFORM, source)
    assert 'Include "Parser"; Include "infocom.h";' in in_words_of(INFOCOM, source)
    assert "notify_mode = false; location = Hall" in in_words_of(INFOCOM, source)


def test_what_is_kept_is_a_mean_over_stories_with_points() -> None:
    means = {("a", INFORM): 4.0, ("a", INFOCOM): 3.0, ("b", INFORM): 0.0, ("b", INFOCOM): 1.0}

    assert list(rows(["a", "b"], means)) == [
        "| a | 4.0 | 3.0 | 0.75 |",
        "| b | 0.0 | 1.0 |  |",
        "| **mean** (1) | | | 0.75 |",
    ]
