"""How many tokens a text takes, rather too many than too few; and texts cut to so many."""

from __future__ import annotations

import math
import re

LETTERS, MARKS = 3, 2
"""Letters and blanks to a token, and digits and marks of ASCII: English prose has four to five, JSON three.
Of anything else each byte counts as a token."""

_PROSE = re.compile(r"[A-Za-z ]+")
_MARKS = re.compile(r"[\x00-\x7f]+")
_BLANKS = re.compile(r"[ \t]{3,}")
_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_MORE = "…"


def tokens(text: str) -> int:
    """What a text takes at most, as far as can be told without asking the model."""
    marks = _PROSE.sub("", text)
    rest = _MARKS.sub("", marks)
    letters = math.ceil((len(text) - len(marks)) / LETTERS)
    return letters + math.ceil((len(marks) - len(rest)) / MARKS) + len(rest.encode("utf-8", "replace"))


def cut(text: str, most: int) -> str:
    """The text, or as much of its beginning as takes no more than `most` tokens with an ellipsis."""
    if len(text) <= LETTERS * most and tokens(text) <= most:
        return text
    low, high = 0, min(len(text), LETTERS * most)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(text[:middle].rstrip() + _MORE) <= most:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + _MORE


def plain(text: str) -> str:
    """A text without control characters and needless blanks; its lines stay lines."""
    shown = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return _LINES.sub("\n\n", _BLANKS.sub("  ", shown)).strip()
