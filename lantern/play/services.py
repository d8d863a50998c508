"""Our services by name, and services of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lantern.play.own.installed_services import installed_names, installed_service
from lantern.play.own.own_services import looks_like_a_file, own_service
from mesh.errors import InputError
from mesh.printable import one_line
from mesh.runner.service import Service
from mesh.suggestions import did_you_mean


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
        case "planner":
            from services.planner.service import PlannerService

            return PlannerService()
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
"""The services of every session, in the order in which they start; each gets the directory that Lantern may
write to."""

PLANNER = "planner"
OPTIONAL: Mapping[str, Callable[[Path], Service[Any]]] = {PLANNER: partial(_ours, PLANNER)}
"""Our services that run only where somebody asks for them."""

NEEDED = ("game", "actor")
"""The services without which no session can be played."""


def checked_without(names: Iterable[str]) -> tuple[str, ...]:
    """The services that a session does without, in the order in which they start.

    Raises:
        InputError: there is none of a name, or it is needed.
    """
    given, known = set(names), (*SERVICES, *OPTIONAL)
    for name in sorted(given):
        if name in NEEDED:
            raise InputError(f"No session is played without the {name}. Leave out --without {name}.")
        if name not in known:
            optional = [each for each in known if each not in NEEDED]
            meant = did_you_mean(name, optional) or f" Name any of {', '.join(optional)}."
            raise InputError(f"There is no service {one_line(name)!r} to play without.{meant}")
    return tuple(name for name in known if name in given)


def taking_part(without: Collection[str], lookahead: bool) -> tuple[str, ...]:
    """The services that take part in a session; the planner only where somebody may look ahead."""
    known = (*SERVICES, *(OPTIONAL if lookahead else ()))
    return tuple(name for name in known if name not in without)


def service_named(name: str, home: Path) -> Service[Any]:
    """One of our services, one that a package brings, or a class of the user's: `path/to/file.py:Class`.

    Raises:
        InputError: there is no such service.
    """
    ours = {**SERVICES, **OPTIONAL}
    if name in ours:
        return ours[name](home)
    if (installed := installed_service(name)) is not None:
        return installed
    if not looks_like_a_file(name):
        known = [*ours, *installed_names()]
        raise InputError(
            f"There is no service {name!r}.{did_you_mean(name, known)} "
            f"Name any of {', '.join(known)}, all, or your own as path.py:Class."
        )
    return own_service(name)
