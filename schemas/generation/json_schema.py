"""The JSON Schema of each message as it stands on the wire, and what a change to one would break."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.catalogue import CatalogueEntry
from schemas.envelope import Envelope

Schema = dict[str, Any]


def wire_schema(entry: CatalogueEntry) -> Schema:
    """The schema of an entry's messages: in their envelope where they are recorded."""
    schema: Schema = entry.message.model_json_schema()
    if not entry.recorded:
        return schema
    outer: Schema = Envelope.model_json_schema()
    definitions = {**outer.pop("$defs", {}), **schema.pop("$defs", {}), schema["title"]: schema}
    definitions.pop("Message", None)
    outer["properties"]["body"] = {"$ref": f"#/$defs/{schema['title']}"}
    outer["properties"]["kind"] = {"const": entry.message.kind.value}  # type: ignore[attr-defined]
    outer["title"] = f"{schema['title']}Envelope"
    outer["$defs"] = {name: definitions[name] for name in sorted(definitions) if name != "Kind"}
    return outer


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """What would break a reader of the old schema or a writer of it (empty: the change only adds)."""
    found: list[str] = []
    for name, before, after in _objects(old, new):
        if after is None:
            found.append(f"{name} is gone")
        else:
            found += [f"{name}{fault}" for fault in _object_changes(before, after)]
    return found


def _objects(old: Schema, new: Schema) -> Iterator[tuple[str, Schema, Schema | None]]:
    yield str(old.get("title", "message")), old, new
    later: Mapping[str, Schema] = new.get("$defs", {})
    for name, schema in old.get("$defs", {}).items():
        yield name, schema, later.get(name)


def _object_changes(old: Schema, new: Schema) -> Iterator[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    for name in before:
        if name not in after:
            yield f".{name} is gone"
        elif _meaning(before[name]) != _meaning(after[name]):
            yield f".{name} means something else"
    for name in set(new.get("required", ())) - set(old.get("required", ())):
        yield f".{name} is now required"
    if missing := set(old.get("enum", ())) - set(new.get("enum", ())):
        yield f" no longer may be {', '.join(sorted(missing))}"


def _meaning(schema: Any) -> Any:
    """A schema without its words."""
    if isinstance(schema, dict):
        words = ("description", "title", "default")
        return {key: _meaning(value) for key, value in schema.items() if key not in words}
    return [_meaning(value) for value in schema] if isinstance(schema, list) else schema
