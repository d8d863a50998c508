"""What other packages of the environment add to Lantern, by the entry points that they declare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mesh.errors import InputError
from mesh.printable import one_line


class PluginBroken(InputError):
    """What a package adds cannot be used."""

    def __init__(self, entry: EntryPoint, what: str) -> None:
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
        super().__init__(
            f"{entry.name!r} of {package} ({entry.value}) {what}. Correct that package, or uninstall it."
        )


@cache
def plugins(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, without importing any of them."""
    return {entry.name: entry for entry in entry_points(group=group)}


def made(entry: EntryPoint) -> Any:
    """What the class (or function) of an entry point returns, called without arguments.

    Raises:
        PluginBroken: it cannot be imported, or fails.
    """
    try:
        return entry.load()()
    except Exception as error:  # it is other people's code: whatever it raises is told with its name
        raise PluginBroken(entry, f"failed: {type(error).__name__}: {one_line(str(error))}") from error
