"""Checkpoints of a story, which the user gives: what shows that an agent has come so far."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lantern.evaluation.plan import PlannedGame
from mesh.errors import InputError
from mesh.file_reading import read_limited_text

LARGEST = 1 << 20
"""The most bytes of a file of checkpoints."""


def with_checkpoints(games: Iterable[PlannedGame], directory: str | None) -> tuple[PlannedGame, ...]:
    """The games with the checkpoints that the directory has for them, in `NAME.toml`; None: with none.

    Raises:
        InputError: a file cannot be read, or has something else; or there is none for any game.
    """
    if directory is None:
        return tuple(games)
    found = tuple(
        game.model_copy(update={"checkpoints": read_checkpoints(path)}) if path.exists() else game
        for game in games
        for path in [Path(directory) / f"{game.name}.toml"]
    )
    if not any(game.checkpoints for game in found):
        names = ", ".join(f"{game.name}.toml" for game in found)
        raise InputError(f"There are no checkpoints in {directory}. Name a directory with any of {names}.")
    return found


def read_checkpoints(path: Path) -> Mapping[str, float]:
    """By text or action, the share of the story (above 0, up to 1) that has been played when it comes.

    Raises:
        InputError: the file cannot be read, or has something else.
    """
    try:
        document: dict[str, Any] = tomllib.loads(read_limited_text(path, LARGEST))
    except OSError as error:
        raise InputError(f"Cannot read the checkpoints {path} ({error.strerror}). Correct that.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: this is not TOML: {error}. Correct it.") from error
    table = document.get("checkpoints")
    if document.keys() != {"checkpoints"} or not isinstance(table, dict) or not table:
        raise InputError(f"{path}: it must have the table [checkpoints] and nothing else. Correct it.")
    for text, share in table.items():
        if (
            not text.strip()
            or isinstance(share, bool)
            or not isinstance(share, int | float)
            or not 0 < share <= 1
        ):
            raise InputError(f"{path}: the share of {text!r} cannot be {share!r}: give a number from 0 to 1.")
    return {text: float(share) for text, share in table.items()}


def progress_of(checkpoints: Mapping[str, float], action: str | None, observation: str) -> float:
    """The greatest share that a step shows: by a text in its observation, or by its action; else 0."""
    read, done = " ".join(observation.lower().split()), " ".join((action or "").lower().split())
    shown = (
        share
        for text, share in checkpoints.items()
        for wanted in [" ".join(text.lower().split())]
        if wanted in read or wanted == done
    )
    return max(shown, default=0.0)
