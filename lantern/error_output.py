"""How errors and warnings are told: one line on standard error, and an exit code."""

from __future__ import annotations

import sys

from mesh.errors import InputError, LanternError
from mesh.printable import printable

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that a user can act on, of several that came of one cause."""
    error: BaseException | None = group.subgroup(LanternError)
    if error is None:
        raise group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def exit_code_of(error: BaseException) -> int:
    """The exit code for an error."""
    return 2 if isinstance(error, InputError) else 1


def complain(line: str, code: int) -> int:
    """Say a line on standard error; the exit code."""
    warn(line)
    return code


def warn(line: str) -> None:
    """Say a line on standard error, whatever is in it."""
    print("lantern: " + printable(" ".join(line.split())), file=sys.stderr)
