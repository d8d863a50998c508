"""Values of messages as a user reads them."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import Any

from pydantic_core import to_jsonable_python

from lantern.views.text_view import printable

WIDTH = 100
"""Characters of a value that are shown."""

LED_BY = 20
"""Characters shown of what two long values have in common before they part."""


def plain(value: Any) -> Any:
    """A message, or a value in one, as plain JSON data."""
    return to_jsonable_python(value)


def shown(value: Any, start: int = 0) -> str:
    """A value on one line, from a character on, without anything that could steer a terminal."""
    text = printable(_written(value))
    cut = ("…" if start else "") + text[start : start + WIDTH]
    return cut + ("…" if len(text) > start + WIDTH else "")


def apart(one: Any, other: Any) -> tuple[str, str]:
    """Two values that differ, each on one line, shown from where they begin to differ."""
    pairs = zip(_written(one), _written(other), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = alike - LED_BY if alike > WIDTH - LED_BY else 0
    return shown(one, start), shown(other, start)


def _written(value: Any) -> str:
    return "unknown" if value is None else json.dumps(plain(value), ensure_ascii=False)
