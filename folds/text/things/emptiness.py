"""Finds what should hold something in a text, which says that it is empty: `The reactor is empty.`"""

from __future__ import annotations

import re
from functools import lru_cache

from folds.vocabulary.words import head_of

_EMPTY = re.compile(
    r"(?:^|[.!?\n)] *)(?:the|your) (?P<noun>[a-z][a-z' -]{2,40}?) "
    r"(?:is|are) (?:(?:completely|now|currently) )?empty\b",
    re.I,
)


@lru_cache(maxsize=128)
def empty_in(text: str) -> tuple[str, ...]:
    """The nouns of what a text calls empty."""
    return tuple(dict.fromkeys(head_of(each["noun"]) for each in _EMPTY.finditer(text)))
