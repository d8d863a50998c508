"""What the service runner says of itself, outside any session's record."""

from __future__ import annotations

from enum import StrEnum

from pydantic import AwareDatetime, Field, NonNegativeInt

from schemas.base import Cell, Frozen, Name


class ServiceState(StrEnum):
    """How far a service is."""

    WARMING = "warming"
    READY = "ready"
    DRAINING = "draining"


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


class RetryAnswer(Frozen):
    """Whether the dead letter could be handled this time."""

    ok: bool
    error: str = ""
