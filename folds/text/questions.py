"""What a game asks."""

from __future__ import annotations

import re

_LENGTH = 600
_YES_NO = re.compile(
    r"\(y(es)?/n(o)?\)|\(y or n\)|\byes or no?\b|"
    r"\(y is affirmative\)|"
    r"\b(are you sure|really want to)\b[^.]*\?\s*>?\s*$|"
    r"(?:^|[.!?\"(\[\n])\s*(do|would|shall|will) you (still )?(want|wish|like|care|mean|continue)\b"
    r"[^.?!\n]*\?\W*$",
    re.I,
)

_FOR_A_WORD = re.compile(r"^\W*(?:what|whom?|where|which)\b[^?\n]*\?\s*>?\s*$", re.I)


def end_of(text: str) -> str:
    """The end of a text, where a question counts."""
    return text[-_LENGTH:]


def asks_for_a_word(text: str) -> bool:
    """Whether a text is nothing but a question of the parser (`What do you want to dig?`), which may take
    the next action for its answer."""
    return bool(_FOR_A_WORD.search(text.strip()))


def asks_yes_or_no(text: str) -> bool:
    """Whether a text ends with a question that wants yes or no."""
    return bool(_YES_NO.search(end_of(text)))
