"""Calls of a language model are messages of the session; what is in the record is not asked again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from language_model.model import ModelError, NoModel, Prompt, PromptPart, Reply, Role, ToolCall, Usage
from language_model.recorded import RecordedModel
from language_model.scripted import ScriptedModel
from language_model.sub_agents.model_access import ModelAccess
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.language_model import ModelAsked


def prompt(text: str) -> Prompt:
    return Prompt(system="You are terse.", parts=(PromptPart(role=Role.USER, text=text),))


def echo(asked: Prompt) -> Reply:
    if asked.parts[0].text == "fail":
        raise ModelError("The model is tired.")
    return Reply(
        model="echo-1",
        text=asked.parts[0].text.upper(),
        calls=(ToolCall(name="look", arguments={"at": ["lamp", 1]}),),
        usage=Usage(input_tokens=7, cached_tokens=3, output_tokens=2, seconds=0.5, cost_usd=0.01),
    )


async def recorded(bus: Bus) -> list[ModelAsked]:
    found = [envelope.body async for envelope in bus.reader.messages("s1")]
    return [body for body in found if isinstance(body, ModelAsked)]


async def test_a_call_is_recorded_with_all_that_came_of_it(bus: Bus) -> None:
    reply = await RecordedModel(ScriptedModel(echo), bus, "s1", 4).ask(prompt("hello"))

    [asked] = await recorded(bus)
    assert reply.text == "HELLO"
    assert (asked.step, asked.call, asked.model, asked.error) == (4, 0, "echo-1", "")
    assert (asked.input_tokens, asked.cached_tokens, asked.output_tokens) == (7, 3, 2)
    assert (asked.seconds, asked.cost_usd) == (0.5, 0.01)
    assert Prompt.model_validate_json(asked.prompt) == prompt("hello")
    assert asked.prompt_sha256 == prompt("hello").sha256


async def test_who_answers_the_step_again_gets_the_recorded_replies_each_once(bus: Bus) -> None:
    model = ScriptedModel(lambda asked: Reply(model="m", text=f"{asked.parts[0].text} {len(model.prompts)}"))
    first = RecordedModel(model, bus, "s1", 4)
    told = [(await first.ask(prompt(text))).text for text in ("a", "b", "a")]

    again = RecordedModel(NoModel(), bus, "s1", 4)
    retold = [(await again.ask(prompt(text))).text for text in ("a", "b", "a")]

    assert told == retold == ["a 1", "b 2", "a 3"]
    with pytest.raises(ModelError, match="no reply to this prompt"):
        await again.ask(prompt("a"))
    assert [asked.call for asked in await recorded(bus)] == [0, 1, 2, 3]


async def test_another_prompt_is_asked_and_another_step_is_too(bus: Bus) -> None:
    model = ScriptedModel(echo)
    await RecordedModel(model, bus, "s1", 4).ask(prompt("hello"))

    await RecordedModel(model, bus, "s1", 4).ask(prompt("goodbye"))
    await RecordedModel(model, bus, "s1", 5).ask(prompt("hello"))

    assert [asked.parts[0].text for asked in model.prompts] == ["hello", "goodbye", "hello"]
    assert [(asked.step, asked.call) for asked in await recorded(bus)] == [(4, 0), (4, 1), (5, 0)]


async def test_an_error_is_recorded_and_comes_again(bus: Bus) -> None:
    model = ScriptedModel(echo)
    for _ in range(2):
        with pytest.raises(ModelError, match="tired"):
            await RecordedModel(model, bus, "s1", 4).ask(prompt("fail"))

    [asked] = await recorded(bus)
    assert (asked.error, asked.reply, len(model.prompts)) == ("The model is tired.", "", 1)


async def test_of_two_instances_that_ask_at_once_the_record_keeps_one_reply_for_both(bus: Bus) -> None:
    other = bus.speaking_as(bus.cell.me.model_copy(update={"instance": "other"}))

    def slower(asked: Prompt) -> Reply:
        return Reply(model="m", text="slower")

    class Meanwhile(ScriptedModel):
        async def ask(self, asked: Prompt) -> Reply:
            await RecordedModel(ScriptedModel(echo), other, "s1", 4).ask(asked)
            return await super().ask(asked)

    reply = await RecordedModel(Meanwhile(slower), bus, "s1", 4).ask(prompt("hello"))

    assert reply.text == "HELLO"
    assert [asked.model for asked in await recorded(bus)] == ["echo-1"]


async def test_a_service_asks_about_the_step_it_answers(bus: Bus) -> None:
    class Poet(ModelAccess):
        async def answer(self, session: str, step: int) -> Sequence[Any]:
            return [(await self.model_for(session, step).ask(prompt("rhyme"))).text]

    poet = Poet()
    poet.bus = bus
    with pytest.raises(ModelError):
        await poet.answer("s1", 1)
    poet.model = ScriptedModel(echo)

    assert await poet.answer("s1", 2) == ["RHYME"]
    assert {envelope.kind async for envelope in bus.reader.messages("s1")} == {Kind.MODEL}


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(model="m", text="x" * 9_000_000, usage=Usage(output_tokens=9)), "200,000 are allowed"),
        (Reply(model="m", text="half a smile: \ud83d", usage=Usage(output_tokens=9)), "no valid text"),
        (ModelError("No.\x1b\n\ud83d" + "x" * 9_000_000), "^No. xxx"),
        (ModelError(""), "gave no reply"),
    ],
    ids=["over-long", "half a character", "hostile error", "error without words"],
)
async def test_what_the_record_cannot_take_is_recorded_as_an_error(
    bus: Bus, reply: Reply | ModelError, error: str
) -> None:
    def fragment_for(asked: Prompt) -> Reply:
        if isinstance(reply, ModelError):
            raise reply
        return reply

    for model in (ScriptedModel(fragment_for), NoModel()):
        with pytest.raises(ModelError, match=error):
            await RecordedModel(model, bus, "s1", 4).ask(prompt("hello"))

    [asked] = await recorded(bus)
    assert (asked.reply, asked.output_tokens) == ("", 9 if isinstance(reply, Reply) else 0)
    assert len(asked.error) <= 1_000
