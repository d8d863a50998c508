"""The file in which what a search has found is kept, so that it can go on."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import DecodeError, Struct
from msgspec.json import decode

from mesh.errors import HomeUnwritable, InputError


class NothingToResume(InputError):
    """No search was made that could go on."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"There is no search to resume in {path}: {why}. Leave out --resume to begin a new one."
        )


class KeptSearch(Struct):
    """What a search has found, in a file."""

    method: str
    emulator_seed: int
    actions: tuple[str, ...] = ()
    score: int | None = None
    probes: int = 0
    seconds: float = 0.0
    runs: int = 0
    """How often it was begun or resumed."""


def make_folder(path: Path) -> None:
    """Make the folder of the kept searches, before a search is made that could not be kept.

    Raises:
        HomeUnwritable: it cannot be.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HomeUnwritable(path, error.strerror) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise HomeUnwritable(path, "Permission denied")


def kept_search(path: Path) -> KeptSearch:
    """What was kept in a file.

    Raises:
        NothingToResume: there is no such file, or it is damaged.
    """
    try:
        return decode(path.read_bytes(), type=KeptSearch)
    except FileNotFoundError:
        raise NothingToResume(path, "there is no such file") from None
    except (DecodeError, UnicodeDecodeError) as error:
        raise NothingToResume(path, str(error)) from error
