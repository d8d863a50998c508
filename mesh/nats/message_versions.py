"""The versions of the messages in a stream: kept in its metadata, and checked by each process that joins.

Only major versions are compared: within one, older code reads what newer code writes.
"""

from __future__ import annotations

from collections.abc import Mapping

from mesh.errors import InputError
from mesh.nats.subjects import STREAM
from schemas.base import Kind, Message
from schemas.catalogue import MESSAGE_OF

KEY = "lantern-messages"
"""The key in the stream's metadata."""


class OtherMessages(InputError):
    """The stream is for other versions of the messages than this code."""

    def __init__(self, kind: str, theirs: int, ours: int, hint: str) -> None:
        super().__init__(
            f"The stream {STREAM} is for {kind} messages of version {theirs}.x, "
            f"and this Lantern is for {ours}.x. {hint}"
        )


def metadata_for(messages: Mapping[Kind, type[Message]] = MESSAGE_OF) -> dict[str, str]:
    """The metadata of a stream for these messages."""
    return {KEY: " ".join(f"{kind}={_major(message)}" for kind, message in sorted(messages.items()))}


def check(metadata: Mapping[str, str], messages: Mapping[Kind, type[Message]] = MESSAGE_OF) -> None:
    """Check that this code is not older than the stream: only then may it join or update the stream.

    Raises:
        OtherMessages: the stream is for newer messages.
    """
    for kind, theirs in _majors_in(metadata).items():
        if (message := messages.get(kind)) is not None and theirs > _major(message):
            hint = "Use the version (or build the image anew) that the stream was provisioned with."
            raise OtherMessages(kind, theirs, _major(message), hint)


def outdated_error(
    metadata: Mapping[str, str], messages: Mapping[Kind, type[Message]] = MESSAGE_OF
) -> OtherMessages | None:
    """The error for a user who may not update an older stream; None: the stream is not older."""
    for kind, theirs in _majors_in(metadata).items():
        if (message := messages.get(kind)) is not None and theirs < _major(message):
            hint = "Run `lantern provision` of this version as the operator."
            return OtherMessages(kind, theirs, _major(message), hint)
    return None


def _major(message: type[Message]) -> int:
    return int(message.version.partition(".")[0])


def _majors_in(metadata: Mapping[str, str]) -> dict[Kind, int]:
    """The major versions by kind, without the kinds that this code does not know."""
    pairs = (pair.partition("=") for pair in metadata.get(KEY, "").split())
    return {Kind(kind): int(major) for kind, _, major in pairs if kind in {*Kind} and major.isdecimal()}
