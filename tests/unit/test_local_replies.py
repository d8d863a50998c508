"""How a request becomes a prompt of plain words, and how what is written becomes a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed", exc_type=ImportError)

from language_model.local.api.prompt import body_of
from language_model.local.api.reply import ReplyBuilder
from language_model.local.api.request import MessageRequest, request_in
from language_model.local.errors import ApiFault
from language_model.local.llama import ReplyChunk

PLAY = {
    "name": "play_action",
    "description": "Play one action.",
    "input_schema": {
        "type": "object",
        "properties": {"action": {"$ref": "#/$defs/Action"}},
        "required": ["action"],
        "$defs": {"Action": {"type": "string", "maxLength": 40}},
    },
}
LOOK = {"name": "look", "description": "Look.", "input_schema": {"type": "object", "properties": {}}}


def a_request(**changes: Any) -> MessageRequest:
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]} | changes
    return request_in(json.dumps(asked).encode(), MessageRequest)


def written(request: MessageRequest, *texts: str, finish: str = "stop") -> ReplyBuilder:
    writing = ReplyBuilder(request, "m", 100)
    for number, text in enumerate(texts):
        last = number == len(texts) - 1
        writing.take(ReplyChunk(text, finish if last else None, 50, 40, 9 if finish == "length" else number))
    return writing


def test_calls_and_their_results_are_told_in_words() -> None:
    body = body_of(
        a_request(
            system="You play.",
            tools=[PLAY],
            messages=[
                {"role": "user", "content": "A door."},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "1", "name": "play_action", "input": {"action": "open"}}
                    ],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "1", "content": "It opens."}],
                },
                {"role": "user", "content": "And now?"},
            ],
        )
    )

    system, *turns = body["messages"]
    assert system["content"].startswith("You play.\n\nTools:\n- play_action: Play one action. Arguments: {")
    assert turns == [
        {"role": "user", "content": "A door."},
        {"role": "assistant", "content": '{"tool": "play_action", "arguments": {"action": "open"}}'},
        {"role": "user", "content": "play_action gave: It opens.\n\nAnd now?"},
    ]


def test_a_forced_tool_changes_the_grammar_and_not_the_prompt() -> None:
    free = body_of(a_request(tools=[PLAY, LOOK]))
    forced = body_of(a_request(tools=[PLAY, LOOK], tool_choice={"type": "tool", "name": "look"}))

    assert free["messages"] == forced["messages"]
    assert "words" in free["grammar"]
    assert "words" not in forced["grammar"] and "play_action" not in forced["grammar"]


def test_references_lead_to_a_tool_s_own_definitions() -> None:
    grammar = body_of(a_request(tools=[PLAY], tool_choice={"type": "any"}))["grammar"]

    assert '"$ref": "#/$defs/play_action/$defs/Action"' in grammar


def test_a_whole_call_is_a_tool_use() -> None:
    writing = written(a_request(tools=[PLAY]), '{"tool": "play_action", "argum', 'ents": {"action": "look"}}')

    message = writing.message()

    [block] = message["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", "play_action", {"action": "look"})
    assert message["stop_reason"] == "tool_use"
    assert (message["usage"]["input_tokens"], message["usage"]["cache_read_input_tokens"]) == (10, 40)


def test_a_call_that_was_cut_off_is_text_and_no_call() -> None:
    message = written(a_request(tools=[PLAY]), '{"tool": "play_act', finish="length").message()

    assert message["content"] == [{"type": "text", "text": '{"tool": "play_act'}]
    assert message["stop_reason"] == "max_tokens"


def test_a_call_that_was_whole_at_the_last_token_is_a_call() -> None:
    message = written(a_request(tools=[LOOK]), '{"tool": "look", "arguments": {}}', finish="length").message()

    assert (message["content"][0]["type"], message["stop_reason"]) == ("tool_use", "tool_use")


@pytest.mark.parametrize(
    "text",
    [
        "I would rather talk.",
        '{"tool": "dance", "arguments": {}}',
        '{"tool": "play_action", "arguments": {"action": 7}}',
        '{"tool": "play_action", "arguments": {"action": "look", "loudly": true}}',
    ],
)
def test_what_no_grammar_has_held_is_never_taken_for_a_call(text: str) -> None:
    with pytest.raises(ApiFault, match="does not keep to the schema"):
        written(a_request(tools=[PLAY], tool_choice={"type": "any"}), text).message()


def test_nor_are_words_in_a_call_s_place_taken_for_the_beginning_of_one() -> None:
    with pytest.raises(ApiFault, match="does not keep to the schema"):
        written(a_request(tools=[PLAY], tool_choice={"type": "any"}), "I would", finish="length").message()


def test_half_a_character_becomes_a_question_mark() -> None:
    message = written(
        a_request(tools=[PLAY]), '{"tool": "play_action", "arguments": {"action": "\\ud800"}}'
    ).message()

    assert message["content"][0]["input"] == {"action": "?"}


def test_words_are_cut_at_the_first_stop_sequence_and_none_of_it_is_shown() -> None:
    writing = ReplyBuilder(a_request(stop_sequences=["END", "STOP"]), "m", 100)

    shown = [
        writing.take(ReplyChunk(text, None, 9, 0, 1)) for text in ("One E", "go. Two S", "TO", "P three END")
    ]

    assert "".join(shown) == "One Ego. Two "
    assert writing.message()["stop_sequence"] == "STOP"
    assert writing.message()["content"] == [{"type": "text", "text": "One Ego. Two "}]


def test_a_full_context_is_told_from_a_full_reply() -> None:
    writing = ReplyBuilder(a_request(max_tokens=500), "m", 100)
    writing.take(ReplyChunk("So", "length", 90, 0, 10))

    assert writing.message()["stop_reason"] == "model_context_window_exceeded"
