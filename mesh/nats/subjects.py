"""The subjects of the messages: `lantern.<cell>.<session>.<kind>.<step>[.<service>[.<call>]]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mesh.errors import NameRefused
from schemas.base import NAME_PATTERN, RESERVED_SESSIONS, SESSION_PATTERN, Kind
from schemas.catalogue import RECORDED

ROOT = "lantern"
STREAM = "LANTERN"
API, GUEST_API = "$JS.API", "JS.API"
"""The subjects of the JetStream API; and as the account of a sub-agent of one's own imports them."""
SHADOW = "-shadow"
NUMBER = re.compile("[0-9]+")
REPLAYS = "replay-"
"""The prefix of the names of cells in which services are replayed; they hold no sessions of the user."""
KINDS = frozenset(Kind)
TAIL = {message.kind: message.by_service + message.numbered for message in RECORDED}
"""The number of tokens after the step, by kind: 0, 1 (the service) or 2 (the service and the call)."""
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


def subject_of(address: Address) -> str:
    """The subject of an address."""
    base = f"{ROOT}.{address.cell}.{address.session}.{address.kind}.{address.step}"
    return ".".join((base, *map(str, (address.service, address.call or 0)[: TAIL[address.kind]])))


@lru_cache(maxsize=256)
def address_of(subject: str) -> Address | None:
    """The address of a subject; None: the subject is not one of a session's record."""
    root, *rest = subject.split(".")
    if root != ROOT or len(rest) < 4 or rest[2] not in KINDS or not NUMBER.fullmatch(rest[3]):
        return None
    kind, tail = Kind(rest[2]), rest[4:]
    if len(tail) != TAIL[kind] or not all(map(NUMBER.fullmatch, tail[1:])):
        return None
    service, call = tail[0] if tail else None, int(tail[1]) if len(tail) > 1 else None
    return Address(rest[0], rest[1], kind, int(rest[3]), service, call)


def wildcard(cell: str, session: str, kind: Kind) -> str:
    """The subjects of all messages of a kind, of one session or (`*`) of all sessions of a cell."""
    return f"{ROOT}.{cell}.{session}.{kind}.*" + ".*" * TAIL[kind]


def record_of(cell: str, session: str) -> str:
    """The subjects of a session's whole record."""
    return f"{ROOT}.{cell}.{session}.>"


def message_id(address: Address) -> str:
    """The `Nats-Msg-Id`, derived from the address so that a repeated publish has the same id."""
    return subject_of(address).removeprefix(f"{ROOT}.")


def dead_subject(cell: str, session: str, service: str, sequence: int) -> str:
    """The subject of a service's dead letter for the message with that sequence number."""
    return f"{ROOT}.{cell}.{session}.dead.{service}.{sequence}"


def ask_subject(cell: str, service: str, verb: str, scope: str = "*") -> str:
    """The subject of requests to a service: to any instance of the cell, or to the one of one session."""
    subject = f"{ROOT}.{cell}.ask.{service}.{verb}"
    return subject if scope == "*" else f"{subject}.{scope}"


def offer_subject(cell: str, session: str = "*", agent: str = "*") -> str:
    """The subject on which a sub-agent with a NATS user of its own offers a message for the record."""
    return f"{ROOT}.{cell}.offer.{session}.{agent}"


def live_subject(cell: str, service: str = "*", instance: str = "*") -> str:
    """The subject of the heartbeats of a service instance."""
    return f"{ROOT}.{cell}.live.{service}.{instance}"


def durable_name(cell: str, service: str, scope: str) -> str:
    """The name of the durable consumer of a service: for all its instances, or for a single session."""
    return f"{cell}-{service}" if scope == "*" else f"{cell}-{service}-{scope}"


def session_in(subject: str) -> str:
    """The session of a recorded subject, a dead letter's included."""
    return subject.split(".")[2]


def shadow_cell(cell: str) -> str:
    """The cell in which the shadows of a cell's services publish."""
    return f"{cell}{SHADOW}"


def checked_session(session: str) -> str:
    """The session id, if it is valid in a subject and a path.

    Raises:
        NameRefused: it is not valid.
    """
    if not re.fullmatch(SESSION_PATTERN.rstrip("$"), session) or session in RESERVED_SESSIONS:
        raise NameRefused(
            f"A session id cannot be {session!r}: use 1 to 64 letters, digits, '-' or '_', "
            f"and none of {', '.join(sorted(RESERVED_SESSIONS))}."
        )
    return session


def checked_cell(cell: str) -> str:
    """The cell's name, if it is valid in a subject.

    Raises:
        NameRefused: it is not valid.
    """
    if not re.fullmatch("[a-z0-9][a-z0-9_-]{0,31}", cell) or cell.startswith(REPLAYS):
        raise NameRefused(
            f"A cell cannot be {cell!r}: use 1 to 32 small letters, digits, '-' or '_', "
            f"and begin with another word than '{REPLAYS}', which replays use."
        )
    return cell


def checked_service(name: str) -> str:
    """The service's name, if it is valid in a subject.

    Raises:
        NameRefused: it is not valid.
    """
    if not re.fullmatch(NAME_PATTERN.rstrip("$"), name):
        raise NameRefused(f"A service cannot be called {name!r}: use small letters, digits and '_'.")
    return name
