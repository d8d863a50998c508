"""Prints an error or a warning as one line on standard error, and gives the exit code."""

from __future__ import annotations

import sys

from mesh.errors import InputError, LanternError
from mesh.printable import printable

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def first_lantern_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group that the user can act on; any other group is raised again."""
    error: BaseException | None = group.subgroup(LanternError)
    if error is None:
        raise group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def exit_code_of(error: BaseException) -> int:
    """The exit code for an error."""
    return 2 if isinstance(error, InputError) else 1


def print_error(line: str, code: int) -> int:
    """Print an error on standard error, and return the exit code."""
    print_warning(line)
    return code


def print_warning(line: str) -> None:
    """Print a line on standard error, without what could steer a terminal."""
    print("lantern: " + printable(" ".join(line.split())), file=sys.stderr)
