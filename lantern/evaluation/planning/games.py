"""Finds the stories of a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from games import BUNDLED
from lantern.evaluation.plan import PlannedGame
from lantern.play.story_files import load_story, story_path
from mesh.errors import InputError


def games_named(names: Iterable[str]) -> tuple[PlannedGame, ...]:
    """The stories at these paths and in these directories, each once, in the order of their names.

    Raises:
        InputError: there is none of a name, or a directory has none.
    """
    found: dict[str, PlannedGame] = {}
    for name in names:
        for game in _games_in(Path(name)) if Path(name).is_dir() else [_game(name)]:
            found.setdefault(game.md5, game)
    return tuple(sorted(found.values(), key=lambda game: (game.name, game.md5)))


def _games_in(directory: Path) -> Iterator[PlannedGame]:
    """The stories of a directory; one that cannot be played has a fault, with which its plays will fail."""
    paths = sorted(directory.glob("*.z[1-8]"))
    if not paths:
        raise InputError(
            f"There is no story in {directory}. Name a directory with .z1 to .z8 files, or files."
        )
    for path in paths:
        try:
            yield _game(str(path))
        except InputError as error:
            name = str(path.absolute())
            md5 = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
            yield PlannedGame(name=path.stem, path=name, md5=md5, fault=str(error))


def _game(name: str) -> PlannedGame:
    story = load_story(name)
    path = BUNDLED if name == "bundled" else story_path(name)
    return PlannedGame(name=path.stem, path=str(path.absolute()), md5=story.md5)
