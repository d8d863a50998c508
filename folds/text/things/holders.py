"""Finds the containers and surfaces in a text, by what it says is in or on them."""

from __future__ import annotations

import re
from functools import lru_cache

from folds.vocabulary.words import head_of

_NOUN = r"(?:the|your) (?P<noun>[a-z][a-z' -]{2,40}?)"
_EMPTY = re.compile(rf"(?:^|[.!?\n)] *){_NOUN} (?:is|are) (?:(?:completely|now|currently) )?empty\b", re.I)
_HOLDING = (
    re.compile(rf"\bnothing (?P<link>in|on|inside) {_NOUN}(?=[.!\n]|$)", re.I),
    re.compile(rf"(?:^|[.!?\n)] *)(?P<link>in|on|inside) {_NOUN} (?:is|are|you (?:can )?see)\b", re.I),
)


@lru_cache(maxsize=128)
def holders_in(text: str) -> dict[str, str]:
    """The nouns of what holds things, or is empty, each with `in` or `on`: `On the shelf is a vase.`"""
    found = {head_of(each["noun"]): "in" for each in _EMPTY.finditer(text)}
    for pattern in _HOLDING:
        for each in pattern.finditer(text):
            found[head_of(each["noun"])] = "on" if each["link"].lower() == "on" else "in"
    return found
