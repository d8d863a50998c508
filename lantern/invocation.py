"""How the user can type this command where they stand, so that printed commands work as they are."""

from __future__ import annotations

import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

NAME = "lantern"


def as_typed(text: str) -> str:
    """The text, with every `lantern ...` in backquotes as the user can type it."""
    return text.replace(f"`{NAME} ", f"`{command()} ")


def command() -> str:
    """`lantern` if the PATH finds this very command, else its path."""
    return _typed(Path(sys.argv[0]), Path.cwd() if sys.argv[0] else Path())


def activation() -> str:
    """The line that puts the command on the PATH; empty: it is there, or is in no virtual environment."""
    script = Path(sys.argv[0]).parent / "activate"
    return "" if command() == NAME or not script.is_file() else f". {shlex.quote(_near(script, Path.cwd()))}"


@cache
def _typed(program: Path, here: Path) -> str:
    found = shutil.which(NAME)
    if program.name != NAME or (found and _same(program, Path(found))):
        return NAME
    return shlex.quote(_near(program, here))


def _near(path: Path, here: Path) -> str:
    """A path from where the user stands, if it is below; with a slash, by which a shell knows a path."""
    absolute = path.absolute()
    if not absolute.is_relative_to(here):
        return str(absolute)
    relative = absolute.relative_to(here)
    return str(relative) if len(relative.parts) > 1 else f"./{relative}"


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
