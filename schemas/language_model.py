"""What a service publishes when it has asked a language model."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from schemas.base import Frozen, Kind, Message


class ModelBudget(Frozen):
    """What a session's calls of language models may take in all; when it is spent, the rules play on."""

    usd: PositiveFloat | None = Field(None, description="None: no limit.")
    tokens: PositiveInt | None = Field(None, description="Of input and output. None: no limit.")
    calls: PositiveInt | None = Field(None, description="None: no limit.")


class Fault(StrEnum):
    """Why a call of a language model came to nothing."""

    UNAVAILABLE = "unavailable"
    """No model is configured, or none may be asked."""
    BUDGET = "budget"
    """The session's budget is spent."""
    BREAKER_OPEN = "breaker_open"
    """The model failed so often that it is left alone for a while."""
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    """There was no connection, or it was cut."""
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server_error"
    UNAUTHORIZED = "unauthorized"
    REFUSED = "refused"
    """The server does not take the request."""
    DECLINED = "declined"
    """The model does not want to answer."""
    INVALID_REPLY = "invalid_reply"
    """The answer cannot be read, or is beyond all bounds."""
    UNKNOWN = "unknown"

    @property
    def was_asked(self) -> bool:
        """Whether the model's server was asked at all."""
        return self not in (Fault.UNAVAILABLE, Fault.BUDGET, Fault.BREAKER_OPEN)


class ModelAsked(Message):
    """A language model has been asked, and what came of it.

    Published by: every service that asks one, once for each call.
    Consumed by: every service that asks one, lantern.
    """

    kind: ClassVar[Kind] = Kind.MODEL
    version: ClassVar[str] = "1.1"
    by_service: ClassVar[bool] = True
    numbered: ClassVar[bool] = True

    call: NonNegativeInt = Field(0, description="Of this service's calls for the step, from 0.")
    model: str
    prompt_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    prompt: str = Field(description="A `language_model.model.Prompt` as JSON.")
    reply: str = Field(description="A `language_model.model.Reply` as JSON. Empty: there was an error.")
    input_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    seconds: NonNegativeFloat = 0.0
    cost_usd: NonNegativeFloat = 0.0
    priced: bool = Field(True, description="False: the model's prices are unknown, and `cost_usd` is 0.")
    error: str = ""
    fault: Fault | None = Field(None, description="What kind of error it was. None: there was none.")
