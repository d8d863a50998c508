"""Conditions on a step, in Python's syntax: `score > 10 and room == "Kitchen"`.

Python's parser reads the text. Of its syntax tree `_Reader` accepts names (`verdict.decision`), texts,
numbers, `true` and `false`, lists, comparisons, `and`, `or` and `not`, and refuses the rest, so nothing of
Python can be reached. An unknown value (None) makes a comparison false, whatever the operator.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from lantern.inspect.comparison import ExpressionRefused, compared

LONGEST = 500
"""Characters of an expression."""

DEEPEST = 30
"""Levels of lists, comparisons, `and`, `or` and `not` in one another."""

Known = Mapping[str, Any]
"""The names that may be used: each with a Known of its own, or with None where it has no parts."""

Values = Mapping[str, Any]
"""What the names stand for: plain JSON data."""

Evaluated = Callable[[Values], Any]

ANY = "*"
"""In a Known: any other name, which stands for what this one does."""

ITSELF = ""
"""In a value with parts: what it stands for where none of them is named."""

CONSTANTS = {"true": True, "false": False}
"""As in JSON; Python's own spelling is understood, too."""

SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}

HINT = 'Write names, numbers, "texts", lists, comparisons, and, or, not.'


@dataclass(frozen=True, slots=True)
class Expression:
    """A condition."""

    text: str
    _value: Evaluated

    def value(self, values: Values) -> Any:
        """What it comes to with these values; None: unknown.

        Raises:
            ExpressionRefused: it compares what cannot be compared.
        """
        return self._value(values)

    def holds(self, values: Values) -> bool:
        """Whether it is true of these values; `value` says what it raises."""
        return bool(self.value(values))


def parsed(text: str, known: Known) -> Expression:
    """The expression in a text.

    Raises:
        ExpressionRefused: it is none. The error names the position, and what may stand there.
    """
    if len(text) > LONGEST:
        raise ExpressionRefused(
            f"The expression has {len(text)} characters, and {LONGEST} is the most. Shorten it."
        )
    source = text.strip()
    try:
        with warnings.catch_warnings(action="ignore"):  # Python would print them
            tree = ast.parse(source, mode="eval")
    except SyntaxError as error:
        raise _refused(error.offset or len(source) + 1, error.msg) from None
    except UnicodeEncodeError as error:
        raise _refused(error.start + 1, "this character is not valid Unicode") from None
    return Expression(source, _Reader(source, {**dict.fromkeys(CONSTANTS), **known}).value(tree.body))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes functions of a syntax tree, and refuses what is not in the language."""

    source: str
    known: Known

    def value(self, node: ast.expr, depth: int = 0) -> Evaluated:
        """How to evaluate a part of the expression."""
        if depth > DEEPEST:
            raise _refused(self._start(node), f"more than {DEEPEST} levels", "Take it apart.")
        match node:
            case ast.Constant(str() | int() | float() as constant):
                return lambda values: constant
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
                return lambda values: -number
            case ast.Name() | ast.Attribute():
                names, _ = self._path(node)
                return lambda values: _found({**CONSTANTS, **values}, names)
            case _:
                parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
                return self._combined(node, [self.value(each, depth + 1) for each in parts])

    def _combined(self, node: ast.expr, parts: Sequence[Evaluated]) -> Evaluated:
        match node:
            case ast.List():
                return lambda values: [part(values) for part in parts]
            case ast.UnaryOp(ast.Not()):
                return lambda values: not parts[0](values)
            case ast.BoolOp(ast.And()):
                return lambda values: all(part(values) for part in parts)
            case ast.BoolOp(ast.Or()):
                return lambda values: any(part(values) for part in parts)
            case ast.Compare(ops=ops) if SIGNS.keys() >= {*map(type, ops)}:
                links = list(zip(parts, (SIGNS[type(op)] for op in ops), parts[1:], strict=False))
                return lambda values: all(compared(a(values), sign, b(values)) for a, sign, b in links)
            case _:
                what = ast.get_source_segment(self.source, node)
                raise _refused(self._start(node), f"{what!r} cannot stand here")

    def _path(self, node: ast.expr) -> tuple[tuple[str, ...], Known | None]:
        """The parts of a dotted name, and the names that may follow."""
        names: tuple[str, ...] = ()
        known: Known | None = self.known
        match node:
            case ast.Name(name):
                at = self._start(node)
            case ast.Attribute(whole, name):
                names, known = self._path(whole)
                at = self._position(node.end_col_offset) - len(name)
            case _:
                raise _refused(self._start(node), "only a message has parts")
        if known is None:
            raise _refused(at, f"{names[-1]} has no parts", "Write a comparison, and, or, or the end.")
        if name not in known and ANY not in known:
            raise _refused(at, f"nothing is called {name}", _suggestion(name, known))
        return (*names, name), known[name] if name in known else known[ANY]

    def _start(self, node: ast.expr) -> int:
        return self._position(node.col_offset)

    def _position(self, offset: int | None) -> int:
        """From 1, in characters; `offset` counts bytes."""
        return len(self.source.encode()[:offset].decode(errors="ignore")) + 1


def _refused(position: int, why: str, hint: str = HINT) -> ExpressionRefused:
    return ExpressionRefused(f"Position {position} of the expression: {why}. {hint}")


def _suggestion(name: str, known: Known) -> str:
    nearest = get_close_matches(name, known, 1)
    return f"{f'Did you mean {nearest[0]}? ' if nearest else ''}Write any of {', '.join(sorted(known))}."


def _found(values: Values, names: Sequence[str]) -> Any:
    value: Any = values
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value.get(ITSELF, value) if isinstance(value, Mapping) else value
