"""What the service runner says of itself, outside any session's record."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import AwareDatetime, Field, NonNegativeInt

from schemas.base import Cell, Frozen, Kind, Name, SessionId


class ServiceState(StrEnum):
    """How far a service is."""

    WARMING = "warming"
    READY = "ready"
    DRAINING = "draining"


class ShadowCounts(Frozen):
    """How what a shadow publishes compares with what the live service of its name has published."""

    same: NonNegativeInt = 0
    different: NonNegativeInt = 0
    alone: NonNegativeInt = Field(0, description="The live service has said nothing there.")


class ServiceAlive(Frozen):
    """A service instance is there. Sent every second, and at once when its state changes.

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
        {}, description="Deadlines that other services missed, as this one has counted: by service."
    )
    shadow: ShadowCounts | None = Field(None, description="None: what it publishes is used.")
    healthy: bool = Field(
        True,
        description="Whether it is connected, its consumer alive, its loop ticking, and nothing refused.",
    )
    problems: tuple[str, ...] = Field((), description="What is wrong, in words.")
    seconds_p50: float | None = Field(
        None, ge=0, description="Seconds to react to a message, in the last minute; null: there was none."
    )
    seconds_p99: float | None = Field(None, ge=0, description="The same, of the slowest hundredth.")
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
    sequence: NonNegativeInt = Field(description="Of the message in the stream.")
    error: str
    tries: NonNegativeInt
    payload_base64: str
    time: AwareDatetime


class RetryDeadLetter(Frozen):
    """A wish that a service handles one of its dead letters again.

    Asked by: lantern.
    Answered by: every service, with RetryAnswer.
    """

    sequence: NonNegativeInt
    subject: str = Field("", description="Of the message, if the record still holds it.")


class RetryAnswer(Frozen):
    """Whether the dead letter could be handled this time."""

    ok: bool
    error: str = ""


class RecallMessage(Frozen):
    """A wish to read a message that the asker may have published, which a user of its own may not read.

    Asked by: every service.
    Answered by: game, with MessageRecalled.
    """

    session: SessionId
    kind: Kind
    step: NonNegativeInt
    service: Name
    call: NonNegativeInt | None = None


class MessageRecalled(Frozen):
    """What the record holds at a place."""

    envelope: str = Field("", description="The message as JSON. Empty: there is none.")
