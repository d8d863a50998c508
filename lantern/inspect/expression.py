"""A small, safe language of conditions: `score > 10 and room == "Kitchen"`.

An expression is parsed into a tree of its own and evaluated over plain JSON data; nothing of Python can be
reached from it. Grammar:

    either     = both ("or" both)*
    both       = negated ("and" negated)*
    negated    = "not" negated | comparison
    comparison = operand (("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in") operand)*
    operand    = text | number | "true" | "false" | name ("." name)* | "(" either ")" | "[" operand,* "]"

What is unknown (None) makes a comparison false, whatever the operator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lantern.inspect.comparison import COMPARISONS, ExpressionRefused
from lantern.inspect.comparison import compared as is_so

LONGEST = 500
"""Characters of an expression."""

DEEPEST = 30
"""Levels of parentheses, brackets and `not`."""

Known = Mapping[str, Any]
"""The names that may be used: each with a Known of its own, or with None where it has no parts."""

Values = Mapping[str, Any]
"""What the names stand for: plain JSON data."""

Evaluated = Callable[[Values], Any]

TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
      | (?P<sign>==|!=|<=|>=|<|>|\(|\)|\[|\]|,|\.)
    )""",
    re.VERBOSE,
)
WORDS = frozenset({"and", "or", "not", "in", "true", "false"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word, and where it begins (from 1)."""

    kind: str
    text: str
    at: int

    @property
    def told(self) -> str:
        """As a user knows it."""
        return "the end" if self.kind == "end" else self.text


@dataclass(frozen=True, slots=True)
class Expression:
    """A condition."""

    text: str
    _value: Evaluated

    def holds(self, values: Values) -> bool:
        """Whether it is true of these values.

        Raises:
            ExpressionRefused: it compares what cannot be compared.
        """
        return bool(self._value(values))


def parsed(text: str, known: Known) -> Expression:
    """The expression in a text.

    Raises:
        ExpressionRefused: it is none; the position is told, and what may stand there.
    """
    if len(text) > LONGEST:
        raise ExpressionRefused(
            f"The expression has {len(text)} characters, and {LONGEST} is the most. Shorten it."
        )
    return Expression(text, _Parser(_tokens(text), known).whole())


def _tokens(text: str) -> list[Token]:
    found, position = [], 0
    while text[position:].strip():
        match = TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            at = position + len(text[position:]) - len(text[position:].lstrip())
            raise ExpressionRefused(
                f"Position {at + 1} of the expression: {text[at]!r} cannot stand here. "
                'Write names, numbers, "texts", comparisons, and, or, not.'
            )
        found.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup) + 1))
        position = match.end()
    return [*found, Token("end", "", len(text) + 1)]


class _Parser:
    """Descends from `or` to operands; `_deep` bounds how far."""

    def __init__(self, tokens: list[Token], known: Known) -> None:
        self._tokens, self._known = tokens, known
        self._next = self._deep = 0

    def whole(self) -> Evaluated:
        value = self._either()
        if self._token.kind != "end":
            raise self._refused("and, or, a comparison, or the end")
        return value

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _taken(self, *texts: str) -> bool:
        """Whether one of these signs or words comes next; it is taken then."""
        there = self._token.kind in ("sign", "name") and self._token.text in texts
        self._next += there
        return there

    def _refused(self, wanted: str) -> ExpressionRefused:
        token = self._token
        return ExpressionRefused(
            f"Position {token.at} of the expression: {token.told} cannot stand here. Write {wanted}."
        )

    def _deeper(self, read: Callable[[], Evaluated]) -> Evaluated:
        self._deep += 1
        if self._deep > DEEPEST:
            raise ExpressionRefused(
                f"Position {self._token.at} of the expression: more than {DEEPEST} levels. Take it apart."
            )
        value = read()
        self._deep -= 1
        return value

    def _either(self) -> Evaluated:
        parts = [self._both()]
        while self._taken("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda values: any(part(values) for part in parts)

    def _both(self) -> Evaluated:
        parts = [self._negated()]
        while self._taken("and"):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else lambda values: all(part(values) for part in parts)

    def _negated(self) -> Evaluated:
        if not self._taken("not"):
            return self._comparison()
        part = self._deeper(self._negated)
        return lambda values: not part(values)

    def _comparison(self) -> Evaluated:
        operands, links = [self._operand()], []
        while (sign := self._comparing()) is not None:
            operands.append(self._operand())
            links.append(sign)
        if not links:
            return operands[0]

        def compared(values: Values) -> bool:
            told = [operand(values) for operand in operands]
            return all(
                is_so(told[index], sign.text, told[index + 1], sign.at) for index, sign in enumerate(links)
            )

        return compared

    def _comparing(self) -> Token | None:
        token = self._token
        if token.kind == "name" and token.text == "not":
            self._next += 1
            if not self._taken("in"):
                raise self._refused("in")
            return Token("sign", "not in", token.at)
        if token.kind in ("sign", "name") and token.text in COMPARISONS:
            return self._take()
        return None

    def _operand(self) -> Evaluated:
        token = self._token
        if token.kind == "text":
            return _constant(_unquoted(self._take()))
        if token.kind == "number":
            return _constant(json.loads(_decimal(self._take().text)))
        if self._taken("true", "false"):
            return _constant(token.text == "true")
        if self._taken("("):
            value = self._deeper(self._either)
            return self._closed(")", value)
        if self._taken("["):
            return self._deeper(self._list)
        if token.kind == "name" and token.text not in WORDS:
            return self._path()
        raise self._refused("a name, a number, a text in quotes, true, false, ( or [")

    def _closed(self, sign: str, value: Evaluated) -> Evaluated:
        if not self._taken(sign):
            raise self._refused(f"and, or, a comparison, or {sign}")
        return value

    def _list(self) -> Evaluated:
        items: list[Evaluated] = []
        while not self._taken("]"):
            items.append(self._operand())
            if not self._taken(",") and self._token.text != "]":
                raise self._refused(", or ]")
        return lambda values: [item(values) for item in items]

    def _path(self) -> Evaluated:
        names = [self._name(self._known)]
        known = self._known[names[0]]
        while self._taken("."):
            if not isinstance(known, Mapping):
                self._next -= 1
                raise ExpressionRefused(
                    f"Position {self._token.at} of the expression: {names[-1]} has no parts. "
                    "Write a comparison, and, or, or the end."
                )
            names.append(self._name(known))
            known = known[names[-1]] if names[-1] in known else known[ANY]
        return lambda values: _found(values, names)

    def _name(self, known: Known) -> str:
        token = self._token
        listed = ", ".join(sorted(known.keys() - {ANY}))
        if token.kind != "name":
            raise self._refused(f"a name: any of {listed}" if listed else "a name")
        if token.text not in known and ANY not in known:
            raise ExpressionRefused(
                f"Position {token.at} of the expression: nothing is called {token.text}. "
                f"Write any of {listed}."
            )
        return self._take().text


ANY = "*"
"""In a Known: any other name, which stands for what this one does."""

ITSELF = ""
"""In a value with parts: what it stands for where none of them is named."""


def _constant(value: Any) -> Evaluated:
    return lambda values: value


def _unquoted(token: Token) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], token.text[1:-1])


def _decimal(text: str) -> str:
    """As JSON writes it: without leading zeros."""
    return re.sub(r"^(-?)0+(?=[0-9])", r"\1", text)


def _found(values: Values, names: list[str]) -> Any:
    value: Any = values
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value.get(ITSELF, value) if isinstance(value, Mapping) else value
