"""Finds and reads the story file that the user names."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

from games import BUNDLED
from mesh.errors import InputError
from mesh.file_reading import read_limited
from mesh.nats.cell import Cell
from mesh.record import stories
from mesh.suggestions import did_you_mean
from services.game.checked_story import check_story
from zmachine.story_file import StoryFile

STORIES = "LANTERN_STORIES"
"""The variable that names a directory in which stories are looked for by name."""
LARGEST = 16 << 20
"""The most bytes that are read of a file before it is refused; a story has at most 512 KiB."""
MOST_LISTED = 1000
"""Stories of a folder that are compared with a name that was not found."""
SUFFIXES = ("", *(f".z{version}" for version in range(1, 9)))


class StoryNotFound(InputError):
    """No story file there."""

    def __init__(self, path: Path, why: str, where: str = "") -> None:
        super().__init__(
            f"No story at {path}: {why}.{where} Give the path of a .z1 to .z8 file, or 'bundled'."
        )


def load_story(name: str) -> StoryFile:
    """The story at a path, one that is named without its suffix, or the bundled one.

    Raises:
        InputError: there is none, or it is no story.
    """
    path = BUNDLED if name == "bundled" else story_path(name)
    try:
        data = read_limited(path, LARGEST)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoryNotFound(path, why, _where_looked(name) if not _is(path.exists) else "") from error
    return check_story(data, path.name)


async def keep_if_bundled(cell: Cell, md5: str) -> None:
    """Put the bundled story into the story store, if it is the one of this MD5: an import brings no story."""
    if md5 == load_story("bundled").md5:
        await stories.put(cell, BUNDLED.read_bytes())


def story_path(name: str) -> Path:
    """Where a story is: at this path; else here, or in `LANTERN_STORIES`, with or without its suffix."""
    path = Path(name)
    if _is(path.exists):
        return path
    for folder in _folders():
        found = [each for suffix in SUFFIXES if _is((each := folder / f"{name}{suffix}").is_file)]
        if len(found) > 1:
            raise InputError(f"{name} may be any of {', '.join(map(str, found))}. Give one of these paths.")
        if found:
            return found[0]
    return path


def story_names() -> list[str]:
    """The stories that can be named: the bundled one, and those here and in `LANTERN_STORIES`."""
    return ["bundled", *sorted({each.name for folder in _folders() for each in _stories_in(folder)})]


def _folders() -> list[Path]:
    stories = os.environ.get(STORIES)
    return [Path(), *([Path(stories)] if stories else [])]


def _where_looked(name: str) -> str:
    """Where a story was looked for, and what is there by a similar name."""
    named = (
        f"and in {os.environ[STORIES]} ({STORIES})" if os.environ.get(STORIES) else f"({STORIES} is not set)"
    )
    looked = f" Looked here {named}, with and without the suffixes .z1 to .z8."
    there = (each.stem for folder in _folders() for each in _stories_in(folder))
    return f"{looked}{did_you_mean(Path(name).stem, ['bundled', *there])}"


def _stories_in(folder: Path) -> list[Path]:
    try:
        return [*itertools.islice(folder.glob("*.z[1-8]"), MOST_LISTED)]
    except OSError:
        return []


def _is(question: Callable[[], bool]) -> bool:
    """The answer of a path to a question; no, if no path can be so."""
    try:
        return question()
    except (OSError, ValueError):
        return False
