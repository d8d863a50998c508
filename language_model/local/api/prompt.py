"""Translates a request for llama.cpp, into plain text that the template of any chat model can carry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from language_model.local.api.grammar import grammar_of
from language_model.local.api.request import (
    CountRequest,
    MessageRequest,
    TextBlock,
    ToolParam,
    ToolResult,
    ToolUse,
)

SAMPLING = ("temperature", "top_p", "top_k", "seed")


def body_of(request: CountRequest) -> dict[str, Any]:
    """The body for llama.cpp's `/v1/chat/completions`."""
    system = _system(request)
    turns = [{"role": "system", "content": system}] if system else []
    body: dict[str, Any] = {"messages": [*turns, *_turns(request)]}
    if grammar := grammar_of(request):
        body["grammar"] = grammar
    if isinstance(request, MessageRequest):
        body |= {"max_tokens": request.max_tokens, "stream": True, "timings_per_token": True}
        body |= {name: value for name in SAMPLING if (value := getattr(request, name)) is not None}
    return body


def call_as_text(name: str, arguments: dict[str, Any]) -> str:
    """A call as the model writes it."""
    return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False)


def _system(request: CountRequest) -> str:
    """The part that is the same in all prompts. The grammar determines which tool must be called."""
    parts = [block.text for block in request.system]
    if request.tools and request.tool_choice.type != "none":
        parts.append(
            "\n".join(["Tools:", *map(_tool_text, request.tools), "", f"A call is JSON alone: {_EXAMPLE}"])
        )
    if request.schema_of_reply is not None:
        parts.append("Reply with JSON alone, of this JSON Schema: " + json.dumps(request.schema_of_reply))
    return "\n\n".join(filter(None, parts))


_EXAMPLE = '{"tool": NAME, "arguments": {...}}'


def _tool_text(tool: ToolParam) -> str:
    """What a tool takes; the grammar holds an argument to its values, which change more often."""
    named = tool.input_schema.get("properties", {})
    takes = json.dumps({name: _without_values(each) for name, each in named.items()}, ensure_ascii=False)
    return f"- {tool.name}: {tool.description} Arguments: {takes}"


def _without_values(schema: Any) -> Any:
    if not isinstance(schema, dict) or "description" not in schema:
        return schema
    return {key: value for key, value in schema.items() if key != "enum"}


def _turns(request: CountRequest) -> list[dict[str, str]]:
    """The turns; consecutive turns of the same role become one, because templates need alternating roles."""
    names = {
        block.id: block.name
        for turn in request.messages
        for block in turn.content
        if isinstance(block, ToolUse)
    }
    turns: list[dict[str, str]] = []
    for turn in request.messages:
        text = "\n\n".join(_texts(turn.content, names))
        if turns and turns[-1]["role"] == turn.role:
            turns[-1]["content"] += "\n\n" + text
        else:
            turns.append({"role": turn.role, "content": text})
    return turns


def _texts(blocks: list[TextBlock | ToolUse | ToolResult], names: dict[str, str]) -> Iterator[str]:
    for block in blocks:
        match block:
            case TextBlock():
                yield block.text
            case ToolUse():
                yield call_as_text(block.name, block.input)
            case ToolResult():
                outcome = "failed" if block.is_error else "gave"
                result = "\n".join(text.text for text in block.content)
                yield f"{names[block.tool_use_id]} {outcome}: {result}"
