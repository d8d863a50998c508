"""The messages of the service runner, outside any session's record."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import AwareDatetime, Field, NonNegativeInt

from schemas.base import Cell, Frozen, Kind, Name, SessionId


class ServiceState(StrEnum):
    """The state of a service instance."""

    WARMING = "warming"
    READY = "ready"
    STANDBY = "standby"
    DRAINING = "draining"


class ShadowCounts(Frozen):
    """The results of comparing a shadow's messages with those of the live service."""

    same: NonNegativeInt = 0
    different: NonNegativeInt = 0
    alone: NonNegativeInt = Field(0, description="The live service published no such message.")


class ServiceAlive(Frozen):
    """A service instance is live. Sent every second, and at once when its state changes.

    Published by: every service.
    Consumed by: actor, lantern.
    """

    name: Name
    version: str
    instance: str
    cell: Cell
    scope: str = Field("*", description="The one session it serves, or `*` for all of the cell.")
    gives_fragments: bool = Field(False, description="Whether the actor waits for its fragments.")
    state: ServiceState = ServiceState.READY
    handled: NonNegativeInt = 0
    failed: NonNegativeInt = 0
    lag: NonNegativeInt = Field(0, description="Messages received and not yet handled.")
    misses: Mapping[Name, NonNegativeInt] = Field(
        {}, description="The deadlines that other services missed, counted by this one, by service."
    )
    shadow: ShadowCounts | None = Field(None, description="None: it is not a shadow.")
    healthy: bool = Field(
        True,
        description="Whether it is connected, its consumer alive, its loop ticking, and nothing refused.",
    )
    problems: tuple[str, ...] = Field((), description="The problems, in words.")
    seconds_p50: float | None = Field(
        None, ge=0, description="Median seconds to handle a message, in the last minute; null: no message."
    )
    seconds_p99: float | None = Field(None, ge=0, description="The same, 99th percentile.")
    replaces: NonNegativeInt | None = Field(
        None,
        description="It serves messages after this sequence number in place of the others. null: no.",
    )
    floor: NonNegativeInt = Field(
        0, description="It has handled all messages that came to it up to this one."
    )
    since: AwareDatetime | None = Field(
        None, description="When it became ready: it answers every step that is published later."
    )
    time: AwareDatetime


class DeadLetter(Frozen):
    """A message that a service could not handle, kept with the reason.

    Published by: every service.
    Consumed by: lantern.
    """

    service: Name
    cell: Cell
    subject: str
    sequence: NonNegativeInt = Field(description="The message's sequence number in the stream.")
    error: str
    tries: NonNegativeInt
    payload_base64: str
    time: AwareDatetime


class RetryDeadLetter(Frozen):
    """A request that a service handles one of its dead letters again.

    Asked by: lantern.
    Answered by: every service, with RetryAnswer.
    """

    sequence: NonNegativeInt
    subject: str = Field("", description="The subject of the message, if the record still has it.")


class RetryAnswer(Frozen):
    """Whether the dead letter could be handled this time."""

    ok: bool
    error: str = ""


class OfferMessage(Frozen):
    """A request that the game puts a message of a sub-agent into the record, whose user may not write there.

    The game takes fragments, model calls and dead letters under the sub-agent's own name, about steps that
    are there, up to a size.

    Asked by: any sub-agent of yours that has a NATS user of its own.
    Answered by: game, with OfferAnswer.
    """

    subject: str = Field(description="Where the record keeps it.")
    message: str = Field(description="The message as JSON: an envelope, or a dead letter.")


class OfferAnswer(Frozen):
    """Whether an offered message is in the record now."""

    stored: bool = Field(description="False: it was refused, or the record has a message there.")
    refusal: str = Field("", description="Why it was refused. Empty: it was not.")


class RecallMessage(Frozen):
    """A request for a message that the asking service may have published but may not read itself.

    Asked by: every service.
    Answered by: game, with MessageRecalled.
    """

    session: SessionId
    kind: Kind
    step: NonNegativeInt
    service: Name
    call: NonNegativeInt | None = None


class MessageRecalled(Frozen):
    """The message at an address of the record."""

    envelope: str = Field("", description="The message as JSON. Empty: there is none.")
