"""Compares a recorded message with the one that is published now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schemas.base import Kind
from schemas.envelope import Envelope


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field that differs. Values are JSON-like; None: that side has no value."""

    service: str
    kind: Kind
    field: str
    """The path in the message, like `sections[0].text`; empty: one side has no such message."""
    recorded: Any
    replayed: Any
    note: str = ""
    """The reason why nothing is published now, if it is known."""


def differences(
    service: str, kind: Kind, recorded: Envelope | None, replayed: Envelope | None, note: str = ""
) -> tuple[FieldDifference, ...]:
    """The differing fields of two messages' bodies, in the order of the fields; None: there is no message."""
    found = _differing("", _body(recorded), _body(replayed))
    return tuple(FieldDifference(service, kind, field, one, other, note) for field, one, other in found)


def _body(message: Envelope | None) -> Any:
    return None if message is None else message.body.model_dump(mode="json")


def _differing(field: str, recorded: Any, replayed: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        for key in dict.fromkeys((*recorded, *replayed)):
            yield from _differing(f"{field}.{key}".lstrip("."), recorded.get(key), replayed.get(key))
    elif isinstance(recorded, list) and isinstance(replayed, list):
        for index in range(max(len(recorded), len(replayed))):
            pair = (values[index] if index < len(values) else None for values in (recorded, replayed))
            yield from _differing(f"{field}[{index}]", *pair)
    elif recorded != replayed:
        yield field, recorded, replayed
