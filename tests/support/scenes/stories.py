"""The stories that tests play: the bundled one, and the development stories beside the repository."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from games import BUNDLED
from tests.support.exhaustive import all_but

DIRECTORY = Path(__file__).parents[4] / "shared" / "games"
BUNDLED_NAME = BUNDLED.name
STORIES = (BUNDLED_NAME, *sorted(path.name for path in DIRECTORY.glob("*.z?")))
REPRESENTATIVE = frozenset({BUNDLED_NAME, "zork1.z5", "detective.z5", "lostpig.z8", "afflicted.z8"})
"""One of each kind: Infocom's compiler, Inform 6 (.z5 and .z8), Inform 7."""


def story_path(name: str) -> Path:
    """Where a story is; the test is skipped where it is not."""
    path = BUNDLED if name == BUNDLED_NAME else DIRECTORY / name
    if not path.is_file():
        pytest.skip(f"{name} is not there: the development stories are not part of the repository")
    return path


def each_story(names: Iterable[str] = STORIES) -> list[Any]:
    """Stories as parameters of a test: all but the representative ones are exhaustive."""
    return all_but(REPRESENTATIVE, names)
