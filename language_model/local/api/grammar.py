"""Writes the grammar that constrains a reply, in the language of llguidance (part of xllamacpp).

llama.cpp does not report a faulty grammar but ignores it. So every reply is checked too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from language_model.local.api.request import CountRequest, ToolParam

DIALECT = "%llguidance {}\n"
COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""The spacing of json.dumps: white space costs no tokens, and a small model cannot repeat it endlessly."""

WORDS = r"/[^{\s](?s:.)*/"
"""Words differ from a call in their first character."""


def grammar_of(request: CountRequest) -> str | None:
    """The grammar for the reply; None: any text is allowed."""
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
    """The schema without additional properties, unless the tool allows them."""
    return {"additionalProperties": False, **schema}


def _moved(schema: Any, to: str) -> Any:
    """The schema as part of another: its references still lead to its own definitions."""
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
