"""Between bytes on a subject and typed messages."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from mesh.errors import FailureError
from mesh.nats.subjects import Address, address_of, subject_of
from schemas.base import Message
from schemas.catalogue import MESSAGE_OF
from schemas.envelope import Envelope


class Undecodable(FailureError):
    """Bytes that are no message of ours."""


class UnknownVersion(Undecodable):
    """A message of a major version that this code does not know."""


def encode(envelope: Envelope) -> bytes:
    """The bytes of a message."""
    return envelope.model_dump_json().encode()


@lru_cache(maxsize=64)
def decode(subject: str, data: bytes) -> Envelope:
    """The message in `data`, found on `subject`; the services of one process share the work.

    Raises:
        UnknownVersion: its major version is not ours.
        Undecodable: it is no message, or one of another subject.
    """
    place = address_of(subject)
    if place is None:
        raise Undecodable(f"No message lives on the subject {subject!r}.")
    raw = _object(data)
    kind = MESSAGE_OF[place.kind]
    _check_version(raw, kind)
    try:
        body = kind.model_validate(raw.get("body"))
        envelope = Envelope.model_validate({**raw, "body": body})
    except ValidationError as error:
        raise Undecodable(f"Not a {place.kind} message: {_first_fault(error)}") from error
    if subject_of(place_named_by(envelope)) != subject:
        raise Undecodable(f"The message says it belongs on {subject_of(place_named_by(envelope))}.")
    return envelope


def message_in(subject: str | None, data: bytes | None) -> Envelope | None:
    """The message in `data`, found on `subject`; None: it is none that can be decoded."""
    try:
        return decode(subject or "", data or b"")
    except Undecodable:
        return None


def place_named_by(envelope: Envelope) -> Address:
    """Where an envelope says that it belongs."""
    call = getattr(envelope.body, "call", None)
    return Address(envelope.cell, envelope.session, envelope.kind, envelope.step, envelope.service.name, call)


@lru_cache(maxsize=64)
def trace_id(session: str, step: int) -> str:
    """The trace of a step (32 hexadecimal digits): derived, so that every service knows it."""
    return hashlib.md5(f"{session}/{step}".encode(), usedforsecurity=False).hexdigest()


def _object(data: bytes) -> dict[str, Any]:
    try:
        raw = from_json(data)
    except ValueError as error:
        raise Undecodable(f"Not JSON: {error}.") from error
    if not isinstance(raw, dict):
        raise Undecodable("Not a JSON object.")
    return raw


def _check_version(raw: dict[str, Any], kind: type[Message]) -> None:
    major, ours = str(raw.get("version", "")).split(".")[0], kind.version.split(".")[0]
    if major.isdecimal() and major != ours:
        raise UnknownVersion(
            f"A {kind.kind} message of version {raw['version']}, but this code reads {ours}.x: update it."
        )


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'message'}: {fault['msg']}."
