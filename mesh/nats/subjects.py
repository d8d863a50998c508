"""Where each message lives: `lantern.<cell>.<session>.<kind>.<step>[.<service>[.<call>]]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mesh.errors import NameRefused
from schemas.base import NAME_PATTERN, RESERVED_SESSIONS, SESSION_PATTERN, Kind
from schemas.catalogue import RECORDED

ROOT = "lantern"
STREAM = "LANTERN"
SHADOW = "-shadow"
NUMBER = re.compile("[0-9]+")
REPLAYS = "replay-"
"""How the names of cells begin in which services are replayed: no sessions of the user's are there."""
KINDS = frozenset(Kind)
TAIL = {message.kind: message.by_service + message.numbered for message in RECORDED}
"""How many of service and call end the subject of a kind, after the step."""
STREAM_SUBJECTS: tuple[str, ...] = (
    *(f"{ROOT}.*.*.{kind}.*" + ".*" * TAIL[kind] for kind in Kind),
    f"{ROOT}.*.*.dead.*.*",
)


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a recorded subject."""

    cell: str
    session: str
    kind: Kind
    step: int
    service: str | None = None
    call: int | None = None


def subject_of(place: Address) -> str:
    """The subject of a place in a session's record."""
    base = f"{ROOT}.{place.cell}.{place.session}.{place.kind}.{place.step}"
    return ".".join((base, *map(str, (place.service, place.call or 0)[: TAIL[place.kind]])))


@lru_cache(maxsize=256)
def address_of(subject: str) -> Address | None:
    """The place that a subject names, or None where it is not one of a record."""
    root, *rest = subject.split(".")
    if root != ROOT or len(rest) < 4 or rest[2] not in KINDS or not NUMBER.fullmatch(rest[3]):
        return None
    kind, tail = Kind(rest[2]), rest[4:]
    if len(tail) != TAIL[kind] or not all(map(NUMBER.fullmatch, tail[1:])):
        return None
    service, call = tail[0] if tail else None, int(tail[1]) if len(tail) > 1 else None
    return Address(rest[0], rest[1], kind, int(rest[3]), service, call)


def wildcard(cell: str, session: str, kind: Kind) -> str:
    """All messages of one kind, of one session or (`*`) of all sessions of a cell."""
    return f"{ROOT}.{cell}.{session}.{kind}.*" + ".*" * TAIL[kind]


def record_of(cell: str, session: str) -> str:
    """Everything that is kept of a session."""
    return f"{ROOT}.{cell}.{session}.>"


def message_id(place: Address) -> str:
    """The `Nats-Msg-Id`: derived, so that who publishes again says the same, and each cell its own."""
    return subject_of(place).removeprefix(f"{ROOT}.")


def dead_subject(cell: str, session: str, service: str, sequence: int) -> str:
    """Where a service puts the message with that sequence number if it cannot handle it."""
    return f"{ROOT}.{cell}.{session}.dead.{service}.{sequence}"


def ask_subject(cell: str, service: str, verb: str, scope: str = "*") -> str:
    """Where a service answers questions: any instance of the cell, or the one that serves one session."""
    subject = f"{ROOT}.{cell}.ask.{service}.{verb}"
    return subject if scope == "*" else f"{subject}.{scope}"


def live_subject(cell: str, service: str = "*", instance: str = "*") -> str:
    """Where a service instance says that it is there."""
    return f"{ROOT}.{cell}.live.{service}.{instance}"


def durable_name(cell: str, service: str, scope: str) -> str:
    """The durable consumer of a service: one for all its instances, or one for a single session."""
    return f"{cell}-{service}" if scope == "*" else f"{cell}-{service}-{scope}"


def shadow_cell(cell: str) -> str:
    """Where shadows of the services of a cell publish."""
    return f"{cell}{SHADOW}"


def checked_session(session: str) -> str:
    """The session id, if it may stand in a subject and a path.

    Raises:
        NameRefused: it may not.
    """
    if not re.fullmatch(SESSION_PATTERN.rstrip("$"), session) or session in RESERVED_SESSIONS:
        raise NameRefused(
            f"A session id cannot be {session!r}: use 1 to 64 letters, digits, '-' or '_', "
            f"and none of {', '.join(sorted(RESERVED_SESSIONS))}."
        )
    return session


def checked_cell(cell: str) -> str:
    """The cell's name, if it may stand in a subject.

    Raises:
        NameRefused: it may not.
    """
    if not re.fullmatch("[a-z0-9][a-z0-9_-]{0,31}", cell) or cell.startswith(REPLAYS):
        raise NameRefused(
            f"A cell cannot be {cell!r}: use 1 to 32 small letters, digits, '-' or '_', "
            f"and begin with another word than '{REPLAYS}', which replays use."
        )
    return cell


def checked_service(name: str) -> str:
    """The service's name, if it may stand in a subject.

    Raises:
        NameRefused: it may not.
    """
    if not re.fullmatch(NAME_PATTERN.rstrip("$"), name):
        raise NameRefused(f"A service cannot be called {name!r}: use small letters, digits and '_'.")
    return name
