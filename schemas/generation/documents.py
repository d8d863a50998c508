"""The documents generated from the catalogue: the AsyncAPI document and `docs/messages.md`."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from schemas.catalogue import CATALOGUE, CatalogueEntry, summary_of
from schemas.generation.json_schema import Schema, wire_schema

HEAD = """# Messages

Generated from `schemas/catalogue.py` by `make generate`; do not edit.

Every message of a session's record travels in an envelope (`schemas/envelope.py`): version, kind, cell,
session, step, service (name, version, instance), cause (the `Nats-Msg-Id` of the message that led to it),
time, trace id, body. The fields below are the body's. A session cannot be called `ask`, `dead` or `live`:
these words stand in its place in other subjects. A service instance that serves a single session (as `lantern
play` runs them) answers its questions on the subject below with the session's id added at the end.
"""


def messages_markdown() -> str:
    """The page for people: each message, its subject, who publishes and consumes it, its fields."""
    parts = [HEAD]
    for entry in CATALOGUE:
        parts += [_section(entry.message, entry)]
        if entry.answer is not None:
            parts += [
                f"Answered with **{entry.answer.__name__}**: {summary_of(entry.answer)}\n",
                _fields(entry.answer),
            ]
    return "\n".join(parts).rstrip() + "\n"


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI 3.0 document of the mesh."""
    components: dict[str, Any] = {"messages": {}, "schemas": {}}
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for entry in CATALOGUE:
        name = entry.message.__name__
        _add_message(components, name, wire_schema(entry), summary_of(entry.message))
        channels[name] = _channel(entry.subject, name)
        if entry.answer is None:
            operations[f"publish{name}"] = _operation("send", name)
        else:
            _add_answer(components, channels, operations, entry)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Lantern",
            "version": "1.0.0",
            "description": "The messages of the mesh, over NATS.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": components,
    }


def _section(message: type[BaseModel], entry: CatalogueEntry) -> str:
    version = getattr(message, "version", None)
    heading = f"## {message.__name__}" + (f" {version}" if version else "")
    verb, heard = ("Asked", "Answered") if entry.answer else ("Published", "Consumed")
    return "\n".join(
        [
            heading,
            "",
            f"{summary_of(message)}",
            "",
            f"- Subject: `{entry.subject}`",
            f"- {verb} by: {', '.join(entry.publishers) or 'no service yet'}",
            f"- {heard} by: {', '.join(entry.consumers)}",
            "",
            _fields(message),
        ]
    )


def _fields(message: type[BaseModel]) -> str:
    rows = ["| field | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in message.model_fields.items():
        default = "required" if field.is_required() else f"`{field.get_default(call_default_factory=True)!r}`"
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {_type(field.annotation)} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def _type(annotation: Any) -> str:
    text = (
        annotation.__name__
        if isinstance(annotation, type) and not hasattr(annotation, "__args__")
        else str(annotation)
    )
    text = re.sub(r"typing\.|schemas\.\w+\.|pydantic\.\w+\.|datetime\.", "", text)
    text = re.sub(r"Annotated\[(\w+), .*?\)\](?=[],]|$)", r"\1", text)
    return text.replace("|", "or").replace("NoneType", "None")


def _add_message(components: dict[str, Any], name: str, schema: Schema, summary: str) -> None:
    own = _rebased(schema, name)
    for key, definition in own.pop("$defs", {}).items():
        components["schemas"][f"{name}.{key}"] = definition
    components["schemas"][name] = own
    components["messages"][name] = {
        "name": name,
        "summary": summary,
        "payload": {"$ref": f"#/components/schemas/{name}"},
    }


def _add_answer(
    components: dict[str, Any], channels: dict[str, Any], operations: dict[str, Any], entry: CatalogueEntry
) -> None:
    assert entry.answer is not None
    name, answer = entry.message.__name__, entry.answer.__name__
    _add_message(components, answer, entry.answer.model_json_schema(), summary_of(entry.answer))
    channels[f"{name}Answer"] = {
        "address": None,
        "messages": {answer: {"$ref": f"#/components/messages/{answer}"}},
    }
    reply = {
        "address": {"location": "$message.header#/reply"},
        "channel": {"$ref": f"#/channels/{name}Answer"},
    }
    operations[f"answer{name}"] = {**_operation("receive", name), "reply": reply}


def _channel(subject: str, name: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {parameter: {} for parameter in re.findall(r"{(\w+)}", subject)}
    return {
        "address": subject,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        **({"parameters": parameters} if parameters else {}),
    }


def _operation(action: str, name: str) -> dict[str, Any]:
    return {"action": action, "channel": {"$ref": f"#/channels/{name}"}}


def _rebased(schema: Any, name: str) -> Any:
    """The schema with its own definitions named as components of the whole document."""
    if isinstance(schema, dict):
        return {
            key: value.replace("#/$defs/", f"#/components/schemas/{name}.")
            if key == "$ref"
            else _rebased(value, name)
            for key, value in schema.items()
        }
    return [_rebased(value, name) for value in schema] if isinstance(schema, list) else schema
