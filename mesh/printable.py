"""Texts from stories, models, messages and users on their way to a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """A text without anything that could steer a terminal; its lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def one_line(text: str) -> str:
    """The same in one line: a name or a value that could not be taken for lines of ours."""
    return " ".join(printable(text).split("\n"))
