"""What is wrong with a command line, in one line, with the help that tells more."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from typer.core import TyperCommand, TyperGroup

from lantern.lazy_command import LazyCommand


def usage_error(error: typer.TyperException, arguments: Sequence[str], commands: TyperGroup) -> str:
    """The fault and where its help is; empty: no command was given, and the help was shown."""
    told = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    if not told:
        return ""
    near = " or ".join(getattr(error, "possibilities", None) or ())
    fault = told.replace("Value error, ", "").rstrip(".") + (f". Did you mean {near}?" if near else "")
    return f"{fault}{'' if fault.endswith('?') else '.'} See `{_path(arguments, commands)} --help`."


def _path(arguments: Sequence[str], commands: TyperGroup) -> str:
    """The words of the command that was to run."""
    words, command = ["lantern"], commands
    for word in arguments:
        found: TyperCommand | TyperGroup | None = getattr(command, "commands", {}).get(word)
        if found is None:
            break
        words.append(word)
        command = found.loaded() if isinstance(found, LazyCommand) else found  # type: ignore[assignment]
    return " ".join(words)
