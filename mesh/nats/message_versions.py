"""Which versions of the messages a stream is for: written with the stream, and compared by whoever joins.

Minor versions do not count: within a major one, older code reads what newer code writes.
"""

from __future__ import annotations

from collections.abc import Mapping

from mesh.errors import InputError
from mesh.nats.subjects import STREAM
from schemas.base import Kind, Message
from schemas.catalogue import MESSAGE_OF

KEY = "lantern-messages"
"""Among the stream's metadata."""


class OtherMessages(InputError):
    """The stream is for other versions of the messages than this code."""

    def __init__(self, kind: str, theirs: int, ours: int, hint: str) -> None:
        super().__init__(
            f"The stream {STREAM} is for {kind} messages of version {theirs}.x, "
            f"and this Lantern is for {ours}.x. {hint}"
        )


def metadata_for(messages: Mapping[Kind, type[Message]] = MESSAGE_OF) -> dict[str, str]:
    """What a stream for these messages says of itself."""
    return {KEY: " ".join(f"{kind}={_major(message)}" for kind, message in sorted(messages.items()))}


def check(metadata: Mapping[str, str], messages: Mapping[Kind, type[Message]] = MESSAGE_OF) -> None:
    """See that this code may join a stream, or bring it up to date: that it is not the older of the two.

    Raises:
        OtherMessages: it is.
    """
    for kind, theirs in _told(metadata).items():
        if (message := messages.get(kind)) is not None and theirs > _major(message):
            hint = "Use the version (or build the image anew) that the stream was provisioned with."
            raise OtherMessages(kind, theirs, _major(message), hint)


def outdated(
    metadata: Mapping[str, str], messages: Mapping[Kind, type[Message]] = MESSAGE_OF
) -> OtherMessages | None:
    """What is to be said to who may not bring such a stream up to date; None: its messages are ours."""
    for kind, theirs in _told(metadata).items():
        if (message := messages.get(kind)) is not None and theirs < _major(message):
            hint = "Run `lantern provision` of this version as the operator."
            return OtherMessages(kind, theirs, _major(message), hint)
    return None


def _major(message: type[Message]) -> int:
    return int(message.version.partition(".")[0])


def _told(metadata: Mapping[str, str]) -> dict[Kind, int]:
    """The major versions by kind; kinds that this code does not know are none of its business."""
    pairs = (pair.partition("=") for pair in metadata.get(KEY, "").split())
    return {Kind(kind): int(major) for kind, _, major in pairs if kind in {*Kind} and major.isdecimal()}
