"""What tests ask a server of the Messages API."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

import pytest

from language_model.client.served_model import ServedModel
from language_model.model import ModelError, Prompt, PromptPart, Role, Tool
from language_model.settings import ModelSettings
from tests.support.servers.messages_server import MessagesServer

PLAY = Tool(name="play", description="Plays an action.", parameters={"type": "object", "properties": {}})


def settings_of(server: MessagesServer) -> ModelSettings:
    """Settings that name a server, as from the environment, but for what the environment itself has."""
    prefix = "LANTERN_MODEL_"
    given = {
        name.removeprefix(prefix).lower() if name.startswith(prefix) else name: it
        for name, it in server.environment().items()
    }
    return ModelSettings.model_validate(given)


class Making(Protocol):
    """Makes the client with other settings."""

    def __call__(self, **changes: Any) -> Awaitable[ServedModel]: ...


def prompt(*texts: str, tools: tuple[Tool, ...] = (), must_call: bool = False, system: str = "") -> Prompt:
    said = tuple(PromptPart(role=Role.USER, text=text) for text in texts or ("hello",))
    return Prompt(system=system, parts=said, tools=tools, must_call=must_call, max_tokens=50)


async def failing(model: ServedModel, asked: Prompt | None = None) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await model.ask(asked or prompt())
    return raised.value
