"""What a game asks."""

from __future__ import annotations

import re

_END = 600
"""Characters at the end of a text in which a question counts."""
_YES_NO = re.compile(
    r"\(y(es)?/n(o)?\)|\(y or n\)|\byes or no?\b|"
    r"\b(are you sure|really want to)\b[^.]*\?\s*>?\s*$",
    re.I,
)


def asks_yes_or_no(text: str) -> bool:
    """Whether a text ends with a question that wants yes or no."""
    return bool(_YES_NO.search(text[-_END:]))
