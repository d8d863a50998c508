"""The interface of language models, live or recorded: prompts, replies, errors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from mesh.errors import FailureError
from schemas.base import Frozen
from schemas.language_model import Fault


class Role(StrEnum):
    """Who wrote a part of the conversation."""

    USER = "user"
    ASSISTANT = "assistant"


class ToolCall(Frozen):
    """A tool call that the model requests; its arguments are not validated."""

    name: str
    arguments: Mapping[str, Any]


class PromptPart(Frozen):
    """One part of the conversation: words, a call that the model made, or what came of a call."""

    role: Role
    text: str = ""
    call: ToolCall | None = Field(None, description="A call that the model made after these words.")
    is_result: bool = Field(False, description="Whether this came of the last call before it.")
    cacheable: bool = Field(
        False, description="Whether the next prompt has the same beginning up to here, so that caching pays."
    )

    @model_validator(mode="after")
    def _has_its_role(self) -> Self:
        if self.call is not None and self.role is not Role.ASSISTANT:
            raise ValueError("only the assistant calls")
        if self.is_result and self.role is not Role.USER:
            raise ValueError("only the user says what came of a call")
        return self


class Tool(Frozen):
    """A tool that the model may call instead of answering in words."""

    name: str
    description: str
    parameters: Mapping[str, Any] = Field(description="A JSON Schema of its arguments.")
    choices: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="For some arguments, all values that they can have now. They change more often than the "
        "parameters, so only a server that holds its replies to a grammar is told.",
    )


class Prompt(Frozen):
    """A complete request to a model."""

    system: str = Field("", description="Instructions that are the same in each call.")
    parts: tuple[PromptPart, ...]
    tools: tuple[Tool, ...] = ()
    must_call: bool = Field(False, description="Whether it must call one of the tools.")
    max_tokens: PositiveInt = Field(1024, description="Maximum of the reply.")

    @cached_property
    def sha256(self) -> str:
        """The digest that identifies this prompt."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Usage(Frozen):
    """Tokens, time and cost of a call."""

    input_tokens: NonNegativeInt = Field(0, description="Including those from the cache.")
    cached_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    seconds: NonNegativeFloat = 0.0
    cost_usd: NonNegativeFloat = 0.0
    priced: bool = Field(True, description="False: the model's prices are unknown, and `cost_usd` is 0.")


class Reply(Frozen):
    """The reply of a model."""

    model: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    truncated: bool = Field(False, description="Whether it ended at the maximum of tokens.")
    usage: Usage = Usage()


class ModelError(FailureError):
    """The model gave no reply; the caller continues without it."""

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
    """A model that never replies, for places where every reply must come from the record."""

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
