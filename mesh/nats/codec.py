"""Encodes typed messages to bytes, and decodes the bytes on a subject."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from mesh.errors import FailureError
from mesh.nats.subjects import Address, address_of
from schemas.base import Message
from schemas.catalogue import MESSAGE_OF
from schemas.envelope import Envelope


class Undecodable(FailureError):
    """Bytes that are not a valid message of Lantern."""


class UnknownVersion(Undecodable):
    """A message of a major version that this code does not know."""


def encode(envelope: Envelope) -> bytes:
    """The bytes of a message."""
    return envelope.model_dump_json().encode()


@lru_cache(maxsize=64)
def decode(subject: str, data: bytes) -> Envelope:
    """The message in `data`, found on `subject`; the services of one process share the cache.

    Raises:
        UnknownVersion: this code does not read its major version.
        Undecodable: it is not a valid message, or belongs on another subject.
    """
    address = address_of(subject)
    if address is None:
        raise Undecodable(f"The subject {subject!r} is not one of a session's record.")
    try:
        return _decoded(address, data)
    except UnknownVersion as error:
        raise UnknownVersion(f"{described(address)} is {error}") from error
    except Undecodable as error:
        raise Undecodable(f"{described(address)} is invalid: {error}") from error


def described(address: Address) -> str:
    """A message in words: `The fragment of hint for step 3`."""
    by = f" of {address.service}" if address.service else ""
    return f"The {address.kind}{by} for step {address.step}"


def first_fault(error: ValidationError, within: str = "") -> str:
    """The first field that is not valid, and why; `within`: the field that holds what was validated."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place = [*([within] if within else []), *map(str, fault["loc"])]
    return f"{'.'.join(place) or 'message'}: {fault['msg']}."


def _decoded(address: Address, data: bytes) -> Envelope:
    raw, kind = _object(data), MESSAGE_OF[address.kind]
    _check_version(raw, kind)
    try:
        body = kind.model_validate(raw.get("body"))
    except ValidationError as error:
        raise Undecodable(first_fault(error, "body")) from error
    try:
        envelope = Envelope.model_validate({**raw, "body": body})
    except ValidationError as error:
        raise Undecodable(first_fault(error)) from error
    theirs = envelope_address(envelope)
    for name in ("cell", "session", "kind", "step", "service", "call"):
        told, wanted = getattr(theirs, name), getattr(address, name)
        if wanted is not None and told != wanted:
            field = {"service": "service.name", "call": "body.call"}.get(name, name)
            raise Undecodable(f"{field}: it is {str(told)!r}, and {str(wanted)!r} in the subject.")
    return envelope


def message_in(subject: str | None, data: bytes | None) -> Envelope | None:
    """The message in `data`, found on `subject`; None: it cannot be decoded."""
    try:
        return decode(subject or "", data or b"")
    except Undecodable:
        return None


def envelope_address(envelope: Envelope) -> Address:
    """The address that the fields of an envelope give."""
    call = getattr(envelope.body, "call", None)
    return Address(envelope.cell, envelope.session, envelope.kind, envelope.step, envelope.service.name, call)


@lru_cache(maxsize=64)
def trace_id(session: str, step: int) -> str:
    """The trace id of a step (32 hexadecimal digits), derived so that all services compute the same."""
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
        raise UnknownVersion(f"of version {raw['version']}, but this code reads {ours}.x: update it.")
