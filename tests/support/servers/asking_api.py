"""What tests ask a server of the Messages API."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

import pytest

from language_model.claude.anthropic_model import AnthropicModel
from language_model.model import ModelError, Prompt, PromptPart, Role, Tool

PLAY = Tool(name="play", description="Plays an action.", parameters={"type": "object", "properties": {}})


class Making(Protocol):
    """Makes the client with other settings."""

    def __call__(self, **changes: Any) -> Awaitable[AnthropicModel]: ...


def prompt(*texts: str, tools: tuple[Tool, ...] = (), must_call: bool = False, system: str = "") -> Prompt:
    said = tuple(PromptPart(role=Role.USER, text=text) for text in texts or ("hello",))
    return Prompt(system=system, parts=said, tools=tools, must_call=must_call, max_tokens=50)


async def failing(model: AnthropicModel, asked: Prompt | None = None) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await model.ask(asked or prompt())
    return raised.value
