"""Prints an error or a warning as one line on standard error, and gives the exit code."""

from __future__ import annotations

import sys

from lantern.invocation import as_typed
from mesh.errors import InputError, LanternError
from mesh.printable import printable

LONGEST = 400
"""Characters of a word in an error, such as a path."""

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def first_lantern_error(error: BaseException) -> BaseException:
    """The error that the user can act on, the first of a group; a group without one is raised again."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    first: BaseException | None = error.subgroup(LanternError)
    if first is None:
        raise error
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


def exit_code_of(error: BaseException) -> int:
    """The exit code for an error."""
    return 2 if isinstance(error, InputError) else 1


def print_error(line: str, code: int) -> int:
    """Print an error on standard error, and return the exit code."""
    print_warning(line)
    return code


def print_warning(line: str) -> None:
    """Print a line on standard error, without what could steer a terminal."""
    words = as_typed(line).split()
    print("lantern: " + printable(" ".join(map(_shortened, words))), file=sys.stderr)


def _shortened(word: str) -> str:
    """A word without its middle, if it is too long to be read."""
    return word if len(word) <= LONGEST else f"{word[: LONGEST // 2]}...{word[-LONGEST // 2 :]}"
