"""The grammar that holds a reply to what was asked for, in the language of llguidance (part of xllamacpp).

llama.cpp reports no fault in such a grammar, it goes on without it. So every reply is checked too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from language_model.local.api.request import CountRequest, ToolParam

DIALECT = "%llguidance {}\n"
COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""As json.dumps writes: no tokens are lost to white space, nor can a small model lose itself in it."""

WORDS = r"/[^{\s](?s:.)*/"
"""Words can be told from a call by their first character."""


def grammar_of(request: CountRequest) -> str | None:
    """None: any words will do."""
    if request.schema_of_reply is not None:
        return DIALECT + "start: " + _json(request.schema_of_reply)
    tools = request.callable_tools
    if not tools:
        return None
    start = "start: call | words\nwords: " + WORDS if request.tool_choice.type == "auto" else "start: call"
    return f"{DIALECT}{start}\ncall: {_json(call_schema(tools))}"


def call_schema(tools: Sequence[ToolParam]) -> dict[str, Any]:
    """The schema of a call of one of these tools."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": tool.name}, "arguments": {"$ref": f"#/$defs/{tool.name}"}},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
            for tool in tools
        ],
        "$defs": {tool.name: _moved(_closed(tool.input_schema), f"#/$defs/{tool.name}/") for tool in tools},
    }


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Without arguments of the model's own invention, unless the tool asks for them."""
    return {"additionalProperties": False, **schema}


def _moved(schema: Any, to: str) -> Any:
    """A schema that now stands within another: its references lead to its own definitions still."""
    if isinstance(schema, list):
        return [_moved(item, to) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: to + value.removeprefix("#/") if key == "$ref" and isinstance(value, str) else _moved(value, to)
        for key, value in schema.items()
    }


def _json(schema: dict[str, Any]) -> str:
    return "%json " + json.dumps({**schema, "x-guidance": COMPACT})
