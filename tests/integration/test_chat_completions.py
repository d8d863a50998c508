"""OpenAI's chat completions, asked over HTTP: what is sent, and what comes back.

What both APIs keep to stands in tests/contract/test_models.py and test_messages_api_faults.py.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from language_model.client.served_model import ServedModel
from language_model.configured import configured_model
from language_model.model import Prompt, PromptPart, Role, Tool, ToolCall
from language_model.settings import ModelUnnamed
from tests.support.processes.command import Lantern
from tests.support.servers.asking_api import PLAY, prompt, settings_of
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.messages_server import Answer, calls, says

LONG = "The rules of the house are many. " * 100


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
async def chat(server: ChatServer) -> AsyncIterator[ServedModel]:
    async with configured_model(settings_of(server), "a test") as model:
        yield model


async def test_calls_and_their_results_are_told_as_such(chat: ServedModel, server: ChatServer) -> None:
    called = PromptPart(role=Role.ASSISTANT, call=ToolCall(name="play", arguments={"action": "north"}))
    came = PromptPart(role=Role.USER, text="A wall.", is_result=True)
    said = (PromptPart(role=Role.USER, text="Begin."), called, came, PromptPart(role=Role.USER, text="Now?"))

    await chat.ask(Prompt(system="Be terse.", parts=said, tools=(PLAY,), must_call=True))

    [request] = server.requests
    function = {"name": "play", "arguments": '{"action": "north"}'}
    assert (request.path, request.key) == ("/v1/chat/completions", "sk-test-0123456789abcdef")
    assert request.body["tool_choice"] == "required" and request.tools == ["play"]
    assert request.body["messages"] == [
        {"role": "system", "content": "Be terse."},
        {"role": "user", "content": "Begin."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "A wall."},
        {"role": "user", "content": "Now?"},
    ]


async def test_what_one_says_in_several_parts_is_one_message(chat: ServedModel, server: ChatServer) -> None:
    await chat.ask(prompt("one", "", "two"))

    assert server.requests[0].body["messages"] == [{"role": "user", "content": "one\n\ntwo"}]


async def test_a_server_on_this_machine_is_told_which_values_an_argument_can_have(
    chat: ServedModel, server: ChatServer
) -> None:
    room = {"type": "string", "maxLength": 150, "description": "A room."}
    parameters = {"type": "object", "properties": {"room": room}}
    going = Tool(name="go", description="Goes.", parameters=parameters, choices={"room": ("Hall", "Attic")})

    await chat.ask(prompt(tools=(going,), must_call=True))

    [sent] = server.requests[0].body["tools"]
    assert sent["function"]["parameters"]["properties"]["room"]["enum"] == ["Hall", "Attic"]


async def test_what_came_from_the_cache_is_counted(chat: ServedModel) -> None:
    first, second = [await chat.ask(prompt(text, system=LONG)) for text in ("a", "b")]

    assert first.usage.cached_tokens == 0
    assert second.usage.input_tokens > second.usage.cached_tokens > len(LONG) // 5
    assert (second.usage.priced, second.usage.cost_usd) == (False, 0.0)


async def test_arguments_that_are_no_json_are_none_and_a_cut_reply_is_marked(
    chat: ServedModel, server: ChatServer
) -> None:
    function = {"name": "play", "arguments": '{"action": "nor'}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}
    raw = {"choices": [{"message": message, "finish_reason": "length"}]}
    server.script = lambda request: Answer(raw=json.dumps(raw).encode())

    reply = await chat.ask(prompt(tools=(PLAY,), must_call=True))

    assert reply.calls == (ToolCall(name="play", arguments={}),)
    assert reply.truncated and reply.usage.input_tokens == 0


async def test_words_beside_a_call_are_kept(chat: ServedModel, server: ChatServer) -> None:
    server.script = lambda request: calls("play", "I go.", action="north")

    reply = await chat.ask(prompt(tools=(PLAY,), must_call=True))

    assert (reply.text, reply.calls[0].arguments) == ("I go.", {"action": "north"})


async def test_a_server_of_chat_completions_needs_a_models_name(server: ChatServer) -> None:
    unnamed = settings_of(server).model_copy(update={"name": "claude-sonnet-5-5"})

    with pytest.raises(ModelUnnamed, match=r"Name one by --model NAME"):
        async with configured_model(unnamed, "a test"):
            pass


def test_a_play_asks_a_server_of_chat_completions_by_one_setting(
    lantern: Lantern, server: ChatServer
) -> None:
    look = calls("play_action", action="look", reflection="I look.")
    server.script = lambda request: look if "play_action" in request.tools else says("Yes.")
    lantern.env |= server.environment()

    played = lantern.play("--steps", "3")

    asked = played["models"]["by_service"]["actor"]
    assert (played["model"], asked["calls"], asked["failures"]) == ("qwen2.5-72b", 3, {})
