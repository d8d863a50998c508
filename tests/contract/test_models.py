"""What every model keeps to, the scripted one and the real client alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from language_model.configured import configured_model
from language_model.model import Model, ModelError, Prompt, PromptPart, Reply, Role, Tool, ToolCall
from language_model.scripted import ScriptedModel
from tests.support.servers.asking_api import settings_of
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.messages_server import MessagesServer, calls, refuses, says

PLAY = Tool(
    name="play",
    description="Plays an action.",
    parameters={"type": "object", "properties": {"action": {"type": "string"}}},
)
Made = Callable[[Reply | None], Model]


def prompt(text: str = "hello") -> Prompt:
    return Prompt(system="Be terse.", parts=(PromptPart(role=Role.USER, text=text),), tools=(PLAY,))


@pytest.fixture(params=["scripted", "messages", "chat"])
async def made(request: pytest.FixtureRequest) -> AsyncIterator[Made]:
    """Makes a model that replies this; None: that fails."""
    if request.param == "scripted":
        yield scripted
        return
    with MessagesServer() if request.param == "messages" else ChatServer() as server:
        settings = settings_of(server).model_copy(update={"retries": 0})
        async with configured_model(settings, "a test") as model:

            def answering(reply: Reply | None) -> Model:
                server.script = lambda asked: over_the_wire(reply)
                return model

            yield answering


def scripted(reply: Reply | None) -> Model:
    def script(asked: Prompt) -> Reply:
        if reply is None:
            raise ModelError("There is none.")
        return reply

    return ScriptedModel(script)


def over_the_wire(reply: Reply | None):  # type: ignore[no-untyped-def]
    if reply is None:
        return refuses(500)
    if reply.calls:
        return calls(reply.calls[0].name, reply.text, **reply.calls[0].arguments)
    return says(reply.text)


async def test_a_reply_in_words_comes_back_as_it_was_written(made: Made) -> None:
    reply = await made(Reply(model="m", text="Grüße,\n  Wörter\t☃")).ask(prompt())

    assert (reply.text, reply.calls) == ("Grüße,\n  Wörter\t☃", ())


async def test_a_call_comes_back_with_its_arguments_unchecked(made: Made) -> None:
    wanted = ToolCall(name="play", arguments={"action": ["north", 3], "why": None})

    reply = await made(Reply(model="m", text="I go.", calls=(wanted,))).ask(prompt())

    assert (reply.text, reply.calls) == ("I go.", (wanted,))


async def test_no_reply_is_a_model_error_and_nothing_else(made: Made) -> None:
    with pytest.raises(ModelError) as raised:
        await made(None).ask(prompt())
    assert "\n" not in str(raised.value)


async def test_an_empty_reply_is_a_reply(made: Made) -> None:
    reply = await made(Reply(model="m")).ask(prompt())

    assert (reply.text, reply.calls) == ("", ())


async def test_what_it_took_is_never_less_than_nothing(made: Made) -> None:
    usage = (await made(Reply(model="m", text="yes")).ask(prompt())).usage

    assert usage.input_tokens >= usage.cached_tokens >= 0
    assert min(usage.output_tokens, usage.seconds, usage.cost_usd) >= 0


async def test_it_has_a_name(made: Made) -> None:
    assert made(Reply(model="m")).name
