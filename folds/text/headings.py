"""Finds the headings of rooms in a game's text: short, capitalized lines with a description below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

BY_TEXT = "name:"
"""The prefix of the id of a room that is known only by its heading."""

HEADING_LENGTH = 45
_INSIDE = re.compile(
    r"\s*(\((?:in|on|at|under|behind|sitting|standing|lying)\b.*\)|, (?:in|on|at|under|behind) .*)$"
)
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_DECORATION = "<>*=~ "
_SMALL = frozenset("of the in on at a an and to by with from under near for de la".split())
_NOT_HEADINGS = ("release", "serial", "copyright", "version", "inform", "revision")


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that looks like the name of a room."""

    name: str
    below: str
    """The text below it."""
    first: bool
    """Whether no text comes before it."""

    @property
    def described(self) -> bool:
        """Whether a text follows directly below, like a room's description."""
        return self.below.startswith("\n") and bool(self.below[1:].partition("\n")[0].strip())


@lru_cache(maxsize=128)
def headings_in(text: str) -> tuple[Heading, ...]:
    """The headings that begin a paragraph, in order; also one at the end of the text."""
    return tuple(_headings(text.strip()))


def _headings(text: str) -> Iterator[Heading]:
    at, begins = 0, True
    for line in text.split("\n"):
        end = at + len(line)
        name = heading(line) if begins else None
        if name:
            yield Heading(name, below=text[end:], first=at == 0)
        begins, at = not line.strip(), end + 1


def described_in(opening: str) -> Heading | None:
    """The heading of the first room in an opening, after the preface."""
    return next((found for found in reversed(headings_in(opening)) if found.described), None)


def heading(line: str) -> str | None:
    """The room that a line names, without a place in it: `Kitchen (on the table)`; None: it names none."""
    plain = line.strip()
    if not plain or len(plain) > 2 * HEADING_LENGTH:
        return None
    bare = plain.strip(_DECORATION)
    name = _INSIDE.sub("", bare)
    if name != bare and bare.endswith(")"):
        name = name.removeprefix("The ")
    return name if _reads_like_a_name(name, decorated=bare != plain) else None


def _reads_like_a_name(name: str, *, decorated: bool) -> bool:
    words = _ASIDE.sub("", name).split()
    if not words or len(name) > HEADING_LENGTH or words[-1][-1] in ".!?:;,\"'])>":
        return False
    if name.lower().startswith(_NOT_HEADINGS) or not name[0].isalnum():
        return False
    proper = all(word[0].isupper() or not word[0].isalpha() or word in _SMALL for word in words)
    return (proper or decorated) and any(c.isalpha() for c in name)
