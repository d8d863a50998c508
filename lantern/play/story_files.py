"""Finds and reads the story file that the user names."""

from __future__ import annotations

import os
from pathlib import Path

from games import BUNDLED
from mesh.errors import InputError
from services.game.story.zmachine import StoryFile, check_story

STORIES = "LANTERN_STORIES"
"""The variable that names a directory in which stories are looked for by name."""
SUFFIXES = ("", *(f".z{version}" for version in range(1, 9)))


class StoryNotFound(InputError):
    """No story file there."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"No story at {path}: {why}. Give the path of a .z1 to .z8 file, or 'bundled'.")


def load_story(name: str) -> StoryFile:
    """The story at a path, one that is named without its suffix, or the bundled one.

    Raises:
        InputError: there is none, or it is no story.
    """
    path = BUNDLED if name == "bundled" else _path_of(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoryNotFound(path, (error.strerror or str(error)).lower()) from error
    return check_story(data, path.name)


def _path_of(name: str) -> Path:
    """Where a story is: at this path; else here, or in `LANTERN_STORIES`, with or without its suffix."""
    path, stories = Path(name), os.environ.get(STORIES)
    if path.exists():
        return path
    for folder in (Path(), *([Path(stories)] if stories else [])):
        found = [each for suffix in SUFFIXES if (each := folder / f"{name}{suffix}").is_file()]
        if len(found) > 1:
            raise InputError(f"{name} may be any of {', '.join(map(str, found))}. Give one of these paths.")
        if found:
            return found[0]
    return path
