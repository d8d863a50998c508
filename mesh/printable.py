"""Makes texts from stories, models, messages and users safe to print on a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text without control characters; line breaks stay."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def one_line(text: str) -> str:
    """The text in one line without control characters, so that it cannot imitate our output."""
    return " ".join(printable(text).split("\n"))


def counted(count: int, what: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
