"""What a service publishes when it has asked a language model."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from schemas.base import Frozen, Kind, Message


class ModelBudget(Frozen):
    """What a session's calls of language models may take in all; when it is spent, the rules play on."""

    usd: PositiveFloat | None = Field(None, description="None: no limit.")
    tokens: PositiveInt | None = Field(None, description="Of input and output. None: no limit.")
    calls: PositiveInt | None = Field(None, description="None: no limit.")


class ModelAsked(Message):
    """A language model has been asked, and what came of it.

    Published by: every service that asks one, once for each call.
    Consumed by: every service that asks one, lantern.
    """

    kind: ClassVar[Kind] = Kind.MODEL
    version: ClassVar[str] = "1.0"
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
    error: str = ""
