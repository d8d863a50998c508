"""Server-sent events as bytes."""

from __future__ import annotations

from typing import Any

import msgspec

RETRY = b"retry: 1000\n\n"
"""Milliseconds after which a browser connects again."""

ALIVE = b": alive\n\n"
"""A comment that shows both sides that the connection stands."""


def event(name: str, data: Any, number: int | None = None) -> bytes:
    """An event; `number`: the step from which a reader who comes back goes on."""
    head = f"event: {name}\n" if number is None else f"event: {name}\nid: {number}\n"
    return head.encode() + b"data: " + msgspec.json.encode(data) + b"\n\n"
