"""Comparisons between values of plain JSON data, of which any may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from mesh.errors import InputError

ORDERINGS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ExpressionRefused(InputError):
    """A text that is no expression, or one that cannot be evaluated."""


def compared(one: Any, sign: str, other: Any) -> bool:
    """Whether a comparison holds; with what is unknown (None), none does.

    Raises:
        ExpressionRefused: it says nothing of values of these kinds.
    """
    if one is None or other is None:
        return False
    if sign in ("==", "!="):
        return (_same(one, other)) is (sign == "==")
    if sign in ("in", "not in"):
        return _contains(one, other) is (sign == "in")
    if not (_is_number(one) and _is_number(other)) and not (isinstance(one, str) and isinstance(other, str)):
        raise _unfit(one, sign, other)
    return ORDERINGS[sign](one, other)


def _contains(one: Any, other: Any) -> bool:
    if isinstance(other, str) and isinstance(one, str):
        return one in other
    if isinstance(other, list):
        return any(_same(one, each) for each in other)
    raise _unfit(one, "in", other)


def _same(one: Any, other: Any) -> bool:
    """`true` is no number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _unfit(one: Any, sign: str, other: Any) -> ExpressionRefused:
    return ExpressionRefused(
        f"The comparison {_kind(one)} {sign} {_kind(other)} says nothing. "
        "Compare numbers with numbers, texts with texts; look for a text in a text, or anything in a list."
    )


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "a message")
