"""What a language model is asked and what it answers; every model, live or recorded, keeps to this."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from mesh.errors import FailureError
from schemas.base import Frozen
from schemas.language_model import Fault


class Role(StrEnum):
    """Who said a part of the conversation."""

    USER = "user"
    ASSISTANT = "assistant"


class PromptPart(Frozen):
    """One part of the conversation."""

    role: Role
    text: str
    cacheable: bool = Field(
        False, description="Whether the next prompt begins alike up to here, so that a cache pays."
    )


class Tool(Frozen):
    """Something that the model may call instead of answering in words."""

    name: str
    description: str
    parameters: Mapping[str, Any] = Field(description="A JSON Schema of its arguments.")


class Prompt(Frozen):
    """Everything that a model is asked with."""

    system: str = Field("", description="What stays the same from call to call.")
    parts: tuple[PromptPart, ...]
    tools: tuple[Tool, ...] = ()
    must_call: bool = Field(False, description="Whether it must call one of the tools.")
    max_tokens: PositiveInt = Field(1024, description="Of the reply.")

    @cached_property
    def sha256(self) -> str:
        """What tells this prompt from every other."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class ToolCall(Frozen):
    """A call that the model wants to be made; its arguments are as it wrote them, not checked."""

    name: str
    arguments: Mapping[str, Any]


class Usage(Frozen):
    """What a call took."""

    input_tokens: NonNegativeInt = Field(0, description="With those that came from the cache.")
    cached_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    seconds: NonNegativeFloat = 0.0
    cost_usd: NonNegativeFloat = 0.0
    priced: bool = Field(True, description="False: the model's prices are unknown, and `cost_usd` is 0.")


class Reply(Frozen):
    """What the model wrote."""

    model: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    truncated: bool = Field(False, description="Whether it ended where the most tokens were written.")
    usage: Usage = Usage()


class ModelError(FailureError):
    """The model gave no reply; the caller does without."""

    def __init__(self, why: str, fault: Fault = Fault.UNKNOWN, usage: Usage | None = None) -> None:
        self.fault, self.usage = fault, usage or Usage()
        super().__init__(why)


class Model(Protocol):
    """A language model."""

    name: str

    async def ask(self, prompt: Prompt) -> Reply:
        """The model's reply.

        Raises:
            ModelError: there is none.
        """


class NoModel:
    """Where no model may be asked: only what is in the record is replied."""

    name = "none"

    def __init__(
        self, why: str = "The record has no reply to this prompt, and no model may be asked."
    ) -> None:
        self.why = why

    async def ask(self, prompt: Prompt) -> Reply:
        """Nothing.

        Raises:
            ModelError: always.
        """
        raise ModelError(self.why, Fault.UNAVAILABLE)
