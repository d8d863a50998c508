"""The envelope around every message of a session."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AwareDatetime, Field, NonNegativeInt, SerializeAsAny, model_validator

from schemas.base import Cell, Frozen, Kind, Message, Name, SessionId


class ServiceRef(Frozen):
    """The service instance that published a message."""

    name: Name
    version: str
    instance: str


class Envelope(Frozen):
    """A message with its address, its publisher and its cause."""

    version: Annotated[str, Field(pattern=r"^\d+\.\d+$")]
    kind: Kind
    cell: Cell
    session: SessionId
    step: NonNegativeInt
    service: ServiceRef
    cause: str | None = Field(None, description="The `Nats-Msg-Id` of the message that caused this one.")
    time: AwareDatetime
    trace_id: Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="One for each step.")]
    body: SerializeAsAny[Message]

    @model_validator(mode="after")
    def _agrees_with_body(self) -> Self:
        if self.body.step != self.step or self.body.kind != self.kind:
            raise ValueError("the envelope's step and kind differ from the body's")
        return self
