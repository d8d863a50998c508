"""The record of calls of language models."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from schemas.base import Frozen, Kind, Message


class ModelBudget(Frozen):
    """The limits of all of a session's calls of language models; when they are used up, the rules decide."""

    usd: PositiveFloat | None = Field(None, description="None: no limit.")
    tokens: PositiveInt | None = Field(None, description="Input and output tokens. None: no limit.")
    calls: PositiveInt | None = Field(None, description="None: no limit.")


class ModelApi(StrEnum):
    """What a model's server speaks."""

    MESSAGES = "messages"
    """The Messages API of Claude, which Lantern's own model server speaks too."""
    CHAT = "chat"
    """OpenAI's chat completions, which most other servers speak."""


class ModelOptions(Frozen):
    """The model that a session asks, and how; a resume asks it in the same way, unless told otherwise."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    server: str = Field(
        "",
        description="Where it was asked, without a login. A resume does not ask there by itself: the user "
        "says where the key goes.",
    )
    api: ModelApi = ModelApi.MESSAGES
    effort: str | None = Field(None, description="None: none was asked for.")
    temperature: float | None = Field(None, description="None: the server's own.")
    deadline: PositiveFloat | None = Field(
        None, description="Seconds that a call may take, with its retries. None: as long as usual."
    )


class Fault(StrEnum):
    """Why a call of a language model failed."""

    UNAVAILABLE = "unavailable"
    """No model is configured or permitted."""
    BUDGET = "budget"
    """The session's budget is used up."""
    BREAKER_OPEN = "breaker_open"
    """The model failed so often that it is not asked for a while."""
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    """There was no connection, or it was lost."""
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server_error"
    UNAUTHORIZED = "unauthorized"
    REFUSED = "refused"
    """The server refuses the request."""
    DECLINED = "declined"
    """The model declines to answer."""
    INVALID_REPLY = "invalid_reply"
    """The answer cannot be parsed, or is too long."""
    UNKNOWN = "unknown"

    @property
    def was_asked(self) -> bool:
        """Whether the request was sent to the model's server."""
        return self not in (Fault.UNAVAILABLE, Fault.BUDGET, Fault.BREAKER_OPEN)


class ModelAsked(Message):
    """A service has asked a language model and has its reply or an error.

    Published by: every service that asks one, once for each call.
    Consumed by: every service that asks one, lantern.
    """

    kind: ClassVar[Kind] = Kind.MODEL
    version: ClassVar[str] = "1.1"
    by_service: ClassVar[bool] = True
    numbered: ClassVar[bool] = True

    call: NonNegativeInt = Field(0, description="The number among this service's calls for the step, from 0.")
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
    fault: Fault | None = Field(None, description="The kind of error. None: there was none.")
