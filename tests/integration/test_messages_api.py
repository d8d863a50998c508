"""A model behind the Messages API, asked through the real SDK over HTTP: replies, and every fault."""

from __future__ import annotations

import asyncio
import base64
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog
from messages_server import (
    CUT,
    EMPTY,
    ORDERS,
    OVERLONG,
    RUBBISH,
    SILENCE,
    Answer,
    MessagesServer,
    calls,
    in_turn,
    refuses,
    says,
)
from pydantic import SecretStr

from language_model import anthropic_model
from language_model.anthropic_model import AnthropicModel
from language_model.configured import configured_model
from language_model.known_models import FREE, KNOWN
from language_model.model import ModelError, Prompt, Role, Said, Tool
from language_model.settings import ModelSettings, NoModelConfigured
from lantern.models import model_settings as settings_from_the_environment
from mesh.errors import InputError
from schemas.language_model import Fault

KEY, PASSWORD = "sk-ant-secret-98765", "secret-of-the-house"
LOGIN = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
PLAY = Tool(name="play", description="Plays an action.", parameters={"type": "object", "properties": {}})
LONG = "The rules of the house are many. " * 100


def prompt(*texts: str, tools: tuple[Tool, ...] = (), must_call: bool = False, system: str = "") -> Prompt:
    said = tuple(Said(role=Role.USER, text=text) for text in texts or ("hello",))
    return Prompt(system=system, said=said, tools=tools, must_call=must_call, most_tokens=50)


@pytest.fixture(autouse=True)
def no_long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anthropic_model, "FIRST_PAUSE", 0.01)


@pytest.fixture
async def making(model_settings: ModelSettings) -> Any:
    """Makes the client with other settings."""
    async with AsyncExitStack() as stack:

        async def made(**changes: Any) -> AnthropicModel:
            settings = model_settings.model_copy(update=changes)
            return await stack.enter_async_context(configured_model(settings, "a test"))

        yield made


async def failing(model: AnthropicModel, asked: Prompt | None = None) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await model.ask(asked or prompt())
    return raised.value


# -- what is sent


async def test_system_and_tools_and_what_comes_again_are_marked_for_the_cache_at_four_places_at_most(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    said = tuple(
        Said(role=role, text=f"part {number}", comes_again=number != 5)
        for number, role in enumerate((Role.USER, Role.ASSISTANT) * 3)
    )
    await model.ask(Prompt(system="Be terse.", said=(*said, said[0]), tools=(PLAY,)))

    body = messages_server.requests[0].body
    marked = [b["text"] for m in body["messages"] for b in m["content"] if "cache_control" in b]
    assert "cache_control" in body["system"][0] and "cache_control" not in body["tools"][0]
    assert marked == ["part 3", "part 4", "part 0"]


async def test_what_one_says_in_several_parts_is_one_message_and_empty_parts_are_left_out(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    await model.ask(prompt("one", "", "two"))

    [message] = messages_server.requests[0].body["messages"]
    assert [block["text"] for block in message["content"]] == ["one", "two"]


async def test_a_beginning_that_comes_again_is_read_from_the_cache_and_priced_so(
    model: AnthropicModel,
) -> None:
    first, second = [await model.ask(prompt(text, system=LONG)) for text in ("a", "b")]

    known = KNOWN[model.name]
    assert first.usage.cached_tokens == 0 and second.usage.cached_tokens == len(LONG) // 4
    assert first.usage.input_tokens == second.usage.input_tokens
    assert second.usage.cost_usd < first.usage.cost_usd
    rest = second.usage.input_tokens - second.usage.cached_tokens
    paid = second.usage.cached_tokens * known.cached + rest * known.read
    written = second.usage.output_tokens * known.written
    assert second.usage.cost_usd == pytest.approx((paid + written) / 1_000_000)


async def test_a_beginning_too_short_for_the_cache_is_not_served_from_it(model: AnthropicModel) -> None:
    replies = [await model.ask(prompt(system="Be terse.")) for _ in range(2)]

    assert [reply.usage.cached_tokens for reply in replies] == [0, 0]


@pytest.mark.parametrize(
    ("name", "choice", "thinking", "effort"),
    [
        ("claude-haiku-4-5-20251001", "any", None, None),
        ("claude-haiku-5-5", "any", "disabled", "low"),
        ("claude-sonnet-5-5", "auto", "between_tools", "low"),
        ("claude-opus-5-5", "auto", None, "low"),
        ("claude-of-tomorrow", "auto", None, None),
        ("llama", "any", None, None),
    ],
)
async def test_a_model_is_sent_what_it_takes_and_no_more(
    making: Any, messages_server: MessagesServer, name: str, choice: str, thinking: str, effort: str
) -> None:
    await (await making(name=name, temperature=0.5)).ask(prompt(tools=(PLAY,), must_call=True))

    body = messages_server.requests[0].body
    assert body["tool_choice"]["type"] == choice
    assert body.get("thinking", {}).get("type") == thinking
    assert body.get("output_config", {}).get("effort") == effort
    assert ("temperature" in body) == (name == "llama")
    assert ("one of the tools" in str(body.get("system"))) == (choice == "auto")


async def test_at_the_hardest_efforts_no_model_is_told_not_to_think_or_forced(
    making: Any, messages_server: MessagesServer
) -> None:
    model = await making(name="claude-haiku-5-5", effort="max")
    await model.ask(prompt(tools=(PLAY,), must_call=True))

    body = messages_server.requests[0].body
    assert "thinking" not in body and body["tool_choice"]["type"] == "auto"
    assert body["max_tokens"] > 50


async def test_a_model_that_is_not_known_is_asked_and_its_price_is_said_to_be_unknown(making: Any) -> None:
    reply = await (await making(name="llama")).ask(prompt())

    assert (reply.text, reply.usage.priced, reply.usage.cost_usd) == ("ready", False, 0.0)
    assert reply.usage.input_tokens > 0


async def test_a_server_of_ours_says_that_it_costs_nothing_and_a_known_price_holds_all_the_same(
    making: Any, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: Answer(content=says("yes").content, headers=FREE)

    ours, known = [await (await making(name=name)).ask(prompt()) for name in ("llama", "claude-haiku-5-5")]

    assert (ours.usage.priced, ours.usage.cost_usd) == (True, 0.0)
    assert known.usage.priced and known.usage.cost_usd > 0


async def test_to_a_server_on_this_machine_no_proxy_leads(
    making: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")

    assert (await (await making()).ask(prompt())).text == "ready"


# -- faults that pass


@pytest.mark.parametrize("fault", [refuses(500), refuses(529), refuses(503), refuses(429), CUT])
async def test_a_fault_that_passes_is_asked_again(
    model: AnthropicModel, messages_server: MessagesServer, fault: Answer
) -> None:
    messages_server.script = in_turn(fault, fault, says("at last"))

    assert (await model.ask(prompt())).text == "at last"
    assert len(messages_server.requests) == 3


async def test_a_server_says_how_long_to_wait(
    model: AnthropicModel, messages_server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []

    async def at_once(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(anthropic_model.asyncio, "sleep", at_once)
    answers = (refuses(429, retry_after="7"), refuses(429, retry_after_ms="1500"), says("yes"))
    messages_server.script = in_turn(*answers)

    await model.ask(prompt())
    assert paused == [7.0, 1.5]


async def test_a_wait_beyond_the_deadline_is_not_begun_and_nobody_is_asked_meanwhile(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    messages_server.script = in_turn(refuses(429, "slow down", retry_after="120"), says("yes"))

    first, second = await failing(model), await failing(model)

    assert (first.fault, second.fault) == (Fault.RATE_LIMITED, Fault.RESTING)
    assert "slow down" in str(first) and "pause" in str(second)
    assert len(messages_server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (refuses(429), Fault.RATE_LIMITED),
        (refuses(500), Fault.SERVER),
        (refuses(529), Fault.OVERLOADED),
        (CUT, Fault.UNREACHABLE),
    ],
)
async def test_a_fault_that_stays_is_given_up_after_the_retries(
    making: Any, messages_server: MessagesServer, answer: Answer, fault: Fault
) -> None:
    messages_server.script = lambda request: answer

    error = await failing(await making(retries=2))

    assert (error.fault, len(messages_server.requests)) == (fault, 3)
    assert error.usage.seconds > 0


async def test_nobody_there_is_unreachable(making: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = await making(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}", retries=1)
        error = await failing(model)

    assert error.fault is Fault.UNREACHABLE and "cannot be reached" in str(error)


# -- faults that do not pass


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (refuses(400, "max_tokens: too large", "invalid_request_error"), Fault.REFUSED),
        (refuses(401, "invalid x-api-key", "authentication_error"), Fault.UNAUTHORIZED),
        (refuses(404, "model: none", "not_found_error"), Fault.REFUSED),
        (refuses(529, "no use", **{"x_should_retry": "false"}), Fault.OVERLOADED),
        (RUBBISH, Fault.NONSENSE),
        (Answer(raw=b'{"content": 3}'), Fault.NONSENSE),
        (Answer(raw=b'{"content": [{"type": "text", "text": "\\ud800"}]}'), Fault.NONSENSE),
        (Answer(raw=b'{"content": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"), Fault.NONSENSE),
        (OVERLONG, Fault.NONSENSE),
        (says("", stop="refusal"), Fault.DECLINED),
    ],
)
async def test_a_fault_that_does_not_pass_is_asked_once_and_told_in_the_servers_own_words(
    model: AnthropicModel, messages_server: MessagesServer, answer: Answer, fault: Fault
) -> None:
    messages_server.script = lambda request: answer

    error = await failing(model)

    assert (error.fault, len(messages_server.requests)) == (fault, 1)
    assert "\n" not in str(error) and len(str(error)) < 500
    if answer.error:
        assert answer.error["message"] in str(error)


async def test_a_server_that_points_elsewhere_is_not_followed(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    with MessagesServer() as other:
        messages_server.script = lambda request: refuses(307, location=f"{other.url}/v1/messages")
        error = await failing(model)

        assert (error.fault, "(307)" in str(error)) == (Fault.NONSENSE, True)
        assert other.requests == [], "it would be told the key"


async def test_a_spent_account_is_not_asked_again(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    told = {"type": "rate_limit_error", "message": "spent"}
    details = {"error_code": "enforced_spend_limit_reached"}
    messages_server.script = lambda request: Answer(status=429, error={**told, "details": details})

    assert (await failing(model)).fault is Fault.RATE_LIMITED
    assert len(messages_server.requests) == 1


# -- replies that are no faults of the server


async def test_text_where_a_call_was_asked_and_wrong_arguments_come_back_as_they_are(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    messages_server.script = in_turn(says("I would go north."), calls("play", b=float("inf")), EMPTY)
    asked = prompt(tools=(PLAY,), must_call=True)

    words, call, nothing = [await model.ask(asked) for _ in range(3)]

    assert (words.text, words.calls) == ("I would go north.", ())
    assert call.calls[0].arguments == {"b": None}
    assert (nothing.text, nothing.calls) == ("", ())


async def test_a_reply_that_reached_its_limit_is_marked_as_cut(
    model: AnthropicModel, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: says("and then I", stop="max_tokens")

    assert (await model.ask(prompt())).cut


async def test_orders_to_the_program_are_text(model: AnthropicModel, messages_server: MessagesServer) -> None:
    messages_server.script = lambda request: ORDERS

    reply = await model.ask(prompt())
    assert (reply.text, reply.calls) == (ORDERS.content[0]["text"], ())


# -- limits


async def test_a_silent_server_is_waited_for_until_the_deadline_only(
    making: Any, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: SILENCE

    error = await failing(await making(deadline=0.2))

    assert error.fault is Fault.TIMEOUT and "0.2 s" in str(error)


async def test_calls_wait_for_their_turn_within_their_deadline(
    making: Any, messages_server: MessagesServer
) -> None:
    enough = threading.Barrier(2, timeout=30)

    def both(request: Any) -> Answer:
        enough.wait()  # until two are under way; a third would be counted
        return says("done")

    messages_server.script = both
    model = await making(at_once=2)

    replies = await asyncio.gather(*(model.ask(prompt(str(number))) for number in range(6)))

    assert [reply.text for reply in replies] == ["done"] * 6
    assert messages_server.most_under_way == 2


async def test_a_turn_that_does_not_come_in_time_is_no_fault_of_the_server(
    making: Any, messages_server: MessagesServer
) -> None:
    model = await making(at_once=1, deadline=0.2, rest_after=1)

    async with model._turns:  # as by a call that takes long
        error = await failing(model)

    assert error.fault is Fault.TIMEOUT and "too busy" in str(error)
    assert (await model.ask(prompt())).text == "ready" and len(messages_server.requests) == 1


async def test_a_model_that_fails_again_and_again_rests_and_is_then_tried_once(
    model_settings: ModelSettings, messages_server: MessagesServer
) -> None:
    now = [0.0]
    settings = model_settings.model_copy(update={"retries": 0, "rest_after": 3, "rest": 30.0})
    model = AnthropicModel(settings, clock=lambda: now[0])
    messages_server.script = lambda request: refuses(500)
    faults = [(await failing(model)).fault for _ in range(5)]
    now[0] = 31.0
    faults += [(await failing(model)).fault for _ in range(2)]
    now[0] = 62.0
    messages_server.script = lambda request: says("well again")
    replies = [(await model.ask(prompt())).text for _ in range(2)]
    await model.close()

    assert faults == [Fault.SERVER] * 3 + [Fault.RESTING] * 2 + [Fault.SERVER, Fault.RESTING]
    assert replies == ["well again"] * 2
    assert len(messages_server.requests) == 6


async def test_who_does_not_wait_so_long_has_seen_a_failure_too(
    making: Any, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: SILENCE
    model = await making(rest_after=1)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await model.ask(prompt())

    assert (await failing(model)).fault is Fault.RESTING


async def test_a_prompt_that_is_refused_says_nothing_about_the_next_one(
    making: Any, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: refuses(400)
    model = await making(rest_after=1)

    assert [(await failing(model)).fault for _ in range(3)] == [Fault.REFUSED] * 3


# -- the key


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    events: list[str] = []
    structlog.configure(processors=[lambda logger, name, event: events.append(repr(event)) or str(event)])  # type: ignore[func-returns-value]
    with caplog.at_level(logging.DEBUG):
        yield events
    events += [record.getMessage() for record in caplog.records]


async def test_key_and_password_are_sent_and_stand_nowhere_else(
    making: Any,
    messages_server: MessagesServer,
    everything_logged: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    messages_server.script = in_turn(
        refuses(401, f"the key {KEY} of {PASSWORD} is not known"), says(f"I was told {KEY}")
    )
    address = messages_server.url.replace("//", f"//me:{PASSWORD}@")
    model = await making(api_key=SecretStr(KEY), base_url=address)

    error = await failing(model)
    reply = await model.ask(prompt())

    sent = messages_server.requests[0].headers
    assert (sent["x-api-key"], sent["authorization"]) == (KEY, f"Basic {LOGIN}")
    told = [str(error), repr(error), repr(model), repr(model.settings), str(vars(error)), repr(reply)]
    told += [*everything_logged, caplog.text]
    assert [text for text in told if KEY in text or PASSWORD in text or LOGIN in text] == []
    assert KEY not in model.settings.model_dump_json()
    assert "***" in str(error) and error.__cause__ is None
    assert reply.text == "I was told ***"


async def test_a_word_for_a_key_is_left_in_replies(making: Any, messages_server: MessagesServer) -> None:
    messages_server.script = lambda request: says("a text of type text")

    assert (await (await making(api_key=SecretStr("text"))).ask(prompt())).text == "a text of type text"


def test_a_key_in_a_file_is_read_and_a_missing_file_is_told_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(Exception, match="ANTHROPIC_API_KEY_FILE"):
        ModelSettings().key()
    (tmp_path / "key").write_text(f"{KEY}\n")

    assert (ModelSettings().key(), ModelSettings().is_configured) == (KEY, True)


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY} x", f"{KEY}é", " \n"])
def test_what_cannot_be_a_key_is_refused_without_telling_it(key: str) -> None:
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY gives is no key") as raised:
        ModelSettings.model_validate({"ANTHROPIC_API_KEY": key}).key()
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    ["somewhere", "ftp://x", "http://", "http://x:99999", "http://a b/", "http://[::1", "http://é\n"],
)
def test_what_is_no_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)

    with pytest.raises(InputError, match="The environment variable ANTHROPIC_BASE_URL cannot be used"):
        settings_from_the_environment()


def test_an_address_is_told_without_what_may_be_secret_in_it() -> None:
    settings = ModelSettings.model_validate(
        {"ANTHROPIC_BASE_URL": f"https://me:{KEY}@example.org:8443/x?k={KEY}"}
    )

    assert settings.where == "https://example.org:8443"


async def test_without_key_and_address_no_model_is_configured() -> None:
    with pytest.raises(NoModelConfigured, match=r"ANTHROPIC_API_KEY.*ANTHROPIC_BASE_URL"):
        async with configured_model(ModelSettings(), "It"):
            pass
