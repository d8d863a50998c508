"""Tools and calls as they travel to a model's server, whichever API it speaks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from language_model.model import Tool


def schema_of(tool: Tool, by_grammar: bool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments; `by_grammar`: with the values that they can have now."""
    schema = as_json(tool.parameters)
    if by_grammar:
        for argument, values in tool.choices.items():
            schema["properties"][argument] = {
                **{key: value for key, value in schema["properties"][argument].items() if key != "maxLength"},
                "enum": list(values),
            }
    return schema


def call_id(number: int) -> str:
    """The id of a call in a prompt; a call has the same in the next prompt, which a cache asks for."""
    return f"call_{number}"


def as_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping as plain JSON values."""
    made: dict[str, Any] = json.loads(json.dumps(dict(value)))
    return made


def finite(value: Any) -> Any:
    """A value without infinity and NaN, which JSON does not have: it is recorded as JSON."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {key: finite(it) for key, it in value.items()}
        case list():
            return [finite(it) for it in value]
        case _:
            return value
