"""Our services by name, and services of the user's own."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mesh.errors import InputError
from mesh.runner.service import Service


def _ours(name: str, home: Path) -> Service[Any]:
    """A service, whose package is imported only now: most commands need the names alone."""
    match name:
        case "game":
            from services.game.service import GameService

            return GameService()
        case "memory":
            from services.memory.service import MemoryService

            return MemoryService(home / "memory")
        case "narrator":
            from services.narrator.service import NarratorService

            return NarratorService()
        case "hint":
            from services.hint.service import HintService

            return HintService()
        case "npc_tracker":
            from services.npc_tracker.service import NpcTrackerService

            return NpcTrackerService()
        case "critic":
            from services.critic.service import CriticService

            return CriticService()
        case _:
            from services.actor.service import ActorService

            return ActorService()


SERVICES: Mapping[str, Callable[[Path], Service[Any]]] = {
    name: partial(_ours, name)
    for name in ("game", "memory", "narrator", "hint", "npc_tracker", "critic", "actor")
}
"""Our services, in the order in which they start; each gets the directory that Lantern may write to."""


def service_named(name: str, home: Path) -> Service[Any]:
    """One of our services, or a class of the user's: `path/to/file.py:Class`.

    Raises:
        InputError: there is no such service.
    """
    if name in SERVICES:
        return SERVICES[name](home)
    path, colon, class_name = name.rpartition(":")
    if not colon:
        raise InputError(
            f"There is no service {name!r}. "
            f"Name any of {', '.join(SERVICES)}, all, or your own as path.py:Class."
        )
    return _loaded(Path(path), class_name)


def _loaded(path: Path, class_name: str) -> Service[Any]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"There is no Python file at {path}. Name a service as path/to/file.py:Class.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Service)):
        raise InputError(f"{path} has no service class {class_name!r}. Derive it from FragmentService.")
    return found()
