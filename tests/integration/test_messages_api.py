"""The Messages API, asked through the real SDK over HTTP: what is sent, and what comes back."""

from __future__ import annotations

import pytest

from language_model.client.served_model import ServedModel
from language_model.known_models import FREE, KNOWN
from language_model.model import Prompt, PromptPart, Role
from tests.support.servers.asking_api import PLAY, Making, prompt
from tests.support.servers.messages_server import (
    EMPTY,
    ORDERS,
    Answer,
    MessagesServer,
    calls,
    in_turn,
    says,
)

LONG = "The rules of the house are many. " * 100


async def test_system_and_tools_and_what_comes_again_are_marked_for_the_cache_at_four_places_at_most(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    said = tuple(
        PromptPart(role=role, text=f"part {number}", cacheable=number != 5)
        for number, role in enumerate((Role.USER, Role.ASSISTANT) * 3)
    )
    await model.ask(Prompt(system="Be terse.", parts=(*said, said[0]), tools=(PLAY,)))

    body = messages_server.requests[0].body
    marked = [b["text"] for m in body["messages"] for b in m["content"] if "cache_control" in b]
    assert "cache_control" in body["system"][0] and "cache_control" not in body["tools"][0]
    assert marked == ["part 3", "part 4", "part 0"]


async def test_what_one_says_in_several_parts_is_one_message_and_empty_parts_are_left_out(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    await model.ask(prompt("one", "", "two"))

    [message] = messages_server.requests[0].body["messages"]
    assert [block["text"] for block in message["content"]] == ["one", "two"]


async def test_a_beginning_that_comes_again_is_read_from_the_cache_and_priced_so(
    model: ServedModel,
) -> None:
    first, second = [await model.ask(prompt(text, system=LONG)) for text in ("a", "b")]

    known = KNOWN[model.name]
    assert first.usage.cached_tokens == 0 and second.usage.cached_tokens == len(LONG) // 4
    assert first.usage.input_tokens == second.usage.input_tokens
    assert second.usage.cost_usd < first.usage.cost_usd
    rest = second.usage.input_tokens - second.usage.cached_tokens
    paid = second.usage.cached_tokens * known.cache_read_price + rest * known.input_price
    written = second.usage.output_tokens * known.output_price
    assert second.usage.cost_usd == pytest.approx((paid + written) / 1_000_000)


async def test_a_beginning_too_short_for_the_cache_is_not_served_from_it(model: ServedModel) -> None:
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
    making: Making, messages_server: MessagesServer, name: str, choice: str, thinking: str, effort: str
) -> None:
    await (await making(name=name, temperature=0.5)).ask(prompt(tools=(PLAY,), must_call=True))

    body = messages_server.requests[0].body
    assert body["tool_choice"]["type"] == choice
    assert body.get("thinking", {}).get("type") == thinking
    assert body.get("output_config", {}).get("effort") == effort
    assert ("temperature" in body) == (name == "llama")
    assert ("one of the tools" in str(body.get("system"))) == (choice == "auto")


async def test_at_the_hardest_efforts_no_model_is_told_not_to_think_or_forced(
    making: Making, messages_server: MessagesServer
) -> None:
    model = await making(name="claude-haiku-5-5", effort="max")
    await model.ask(prompt(tools=(PLAY,), must_call=True))

    body = messages_server.requests[0].body
    assert "thinking" not in body and body["tool_choice"]["type"] == "auto"
    assert body["max_tokens"] > 50


async def test_a_model_that_is_not_known_is_asked_and_its_price_is_said_to_be_unknown(making: Making) -> None:
    reply = await (await making(name="llama")).ask(prompt())

    assert (reply.text, reply.usage.priced, reply.usage.cost_usd) == ("ready", False, 0.0)
    assert reply.usage.input_tokens > 0


async def test_a_server_of_ours_says_that_it_costs_nothing_and_a_known_price_holds_all_the_same(
    making: Making, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: Answer(content=says("yes").content, headers=FREE)

    ours, known = [await (await making(name=name)).ask(prompt()) for name in ("llama", "claude-haiku-5-5")]

    assert (ours.usage.priced, ours.usage.cost_usd) == (True, 0.0)
    assert known.usage.priced and known.usage.cost_usd > 0


async def test_text_where_a_call_was_asked_and_wrong_arguments_come_back_as_they_are(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    messages_server.script = in_turn(says("I would go north."), calls("play", b=float("inf")), EMPTY)
    asked = prompt(tools=(PLAY,), must_call=True)

    words, call, nothing = [await model.ask(asked) for _ in range(3)]

    assert (words.text, words.calls) == ("I would go north.", ())
    assert call.calls[0].arguments == {"b": None}
    assert (nothing.text, nothing.calls) == ("", ())


async def test_a_reply_that_reached_its_limit_is_marked_as_cut(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: says("and then I", stop="max_tokens")

    assert (await model.ask(prompt())).truncated


async def test_orders_to_the_program_are_text(model: ServedModel, messages_server: MessagesServer) -> None:
    messages_server.script = lambda request: ORDERS

    reply = await model.ask(prompt())
    assert (reply.text, reply.calls) == (ORDERS.content[0]["text"], ())
